package io.arraymorph.delta.table;

import io.delta.kernel.defaults.engine.fileio.OutputFile;
import io.delta.kernel.defaults.engine.fileio.PositionOutputStream;
import io.delta.kernel.utils.CloseableIterator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** An object that is put at once when its stream is closed. */
final class KernelOutputFile implements OutputFile {
  private final StoreFileIO files;
  private final String path;

  KernelOutputFile(StoreFileIO files, String path) {
    this.files = files;
    this.path = path;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public PositionOutputStream create(boolean putIfAbsent) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    return new PositionOutputStream() {
      private boolean closed;

      @Override
      public long getPos() {
        return bytes.size();
      }

      @Override
      public void write(int b) {
        bytes.write(b);
      }

      @Override
      public void write(byte[] source, int offset, int length) {
        bytes.write(source, offset, length);
      }

      @Override
      public void close() throws IOException {
        if (!closed) {
          closed = true;
          files.put(path, bytes.toByteArray(), !putIfAbsent);
        }
      }
    };
  }

  @Override
  public void writeAtomically(CloseableIterator<String> lines, boolean overwrite)
      throws IOException {
    StringBuilder text = new StringBuilder();
    try (lines) {
      while (lines.hasNext()) {
        text.append(lines.next()).append('\n');
      }
    }
    files.put(path, text.toString().getBytes(StandardCharsets.UTF_8), overwrite);
  }
}
