package io.arraymorph.delta.table;

import io.delta.kernel.defaults.engine.fileio.InputFile;
import io.delta.kernel.defaults.engine.fileio.SeekableInputStream;
import java.io.EOFException;
import java.io.IOException;

/** An object read as a whole when it is first used: log entries, checkpoints, deletion vectors. */
final class KernelInputFile implements InputFile {
  private final StoreFileIO files;
  private final String path;
  private final long size;

  KernelInputFile(StoreFileIO files, String path, long size) {
    this.files = files;
    this.path = path;
    this.size = size;
  }

  @Override
  public long length() throws IOException {
    return size > 0 ? size : files.getFileStatus(path).getSize();
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public SeekableInputStream newStream() throws IOException {
    return new Stream(files.read(path));
  }

  private static final class Stream extends SeekableInputStream {
    private final byte[] bytes;
    private int position;

    Stream(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void seek(long newPosition) throws IOException {
      if (newPosition < 0 || newPosition > bytes.length) {
        throw new EOFException("position " + newPosition + " of " + bytes.length + " bytes");
      }
      position = (int) newPosition;
    }

    @Override
    public void readFully(byte[] target, int offset, int length) throws IOException {
      if (length > bytes.length - position) {
        throw new EOFException(length + " bytes from " + position + " of " + bytes.length);
      }
      System.arraycopy(bytes, position, target, offset, length);
      position += length;
    }

    @Override
    public int read() {
      return position == bytes.length ? -1 : bytes[position++] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      int count = Math.min(length, bytes.length - position);
      if (count == 0 && length > 0) {
        return -1;
      }
      System.arraycopy(bytes, position, target, offset, count);
      position += count;
      return count;
    }
  }
}
