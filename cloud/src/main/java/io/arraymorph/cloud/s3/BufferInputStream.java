package io.arraymorph.cloud.s3;

import java.io.InputStream;
import java.nio.ByteBuffer;

/** The bytes of a buffer without array, as a stream that can be reset. */
final class BufferInputStream extends InputStream {
  private final ByteBuffer rest;
  private int mark;

  BufferInputStream(ByteBuffer bytes) {
    this.rest = bytes;
    this.mark = bytes.position();
  }

  @Override
  public int read() {
    return rest.hasRemaining() ? rest.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int start, int length) {
    if (!rest.hasRemaining()) {
      return length == 0 ? 0 : -1;
    }
    int count = Math.min(length, rest.remaining());
    rest.get(target, start, count);
    return count;
  }

  @Override
  public int available() {
    return rest.remaining();
  }

  @Override
  public boolean markSupported() {
    return true;
  }

  @Override
  public void mark(int limit) {
    mark = rest.position();
  }

  @Override
  public void reset() {
    rest.position(mark);
  }
}
