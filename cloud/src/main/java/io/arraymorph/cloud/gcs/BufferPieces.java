package io.arraymorph.cloud.gcs;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** The bytes of buffers, in arrays of at most 64 KiB; the buffers stay as they are. */
final class BufferPieces implements Iterator<byte[]> {
  private static final int PIECE_BYTES = 64 << 10;

  private final Iterator<ByteBuffer> rest;
  private ByteBuffer current = ByteBuffer.allocate(0);

  BufferPieces(List<ByteBuffer> buffers) {
    this.rest = buffers.iterator();
  }

  @Override
  public boolean hasNext() {
    while (!current.hasRemaining() && rest.hasNext()) {
      current = rest.next().duplicate();
    }
    return current.hasRemaining();
  }

  @Override
  public byte[] next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    byte[] piece = new byte[Math.min(PIECE_BYTES, current.remaining())];
    current.get(piece);
    return piece;
  }
}
