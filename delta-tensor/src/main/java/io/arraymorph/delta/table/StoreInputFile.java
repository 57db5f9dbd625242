package io.arraymorph.delta.table;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/**
 * A Parquet file in an object store, of which given byte ranges are fetched ahead, in parallel and
 * merged over small gaps; what was not foreseen is fetched when it is read.
 *
 * <p>Pins the ETag of its first answer: a file that changes while it is read fails. Not
 * thread-safe.
 */
final class StoreInputFile implements InputFile {
  private final StorePath path;
  private final long length;
  private final TreeMap<Long, byte[]> held = new TreeMap<>();
  private ReadCondition condition = ReadCondition.NONE;

  StoreInputFile(StorePath path, long length) {
    this.path = path;
    this.length = length;
  }

  @Override
  public long getLength() {
    return length;
  }

  /** Takes bytes that were fetched before. */
  void hold(long start, byte[] bytes, ReadCondition sameVersion) {
    held.put(start, bytes);
    condition = sameVersion;
  }

  /** The bytes from {@code start} to the end of the file, which must have been fetched. */
  byte[] copy(long start) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(length - start)];
    read(start, bytes, 0, bytes.length);
    return bytes;
  }

  /** The condition that pins the version read so far. */
  ReadCondition condition() {
    return condition;
  }

  /** Fetches ranges that are not held yet; gaps of up to {@code gap} bytes are read along. */
  void fetch(List<ByteRange.Bounded> ranges, long gap) {
    List<ByteRange.Bounded> sorted =
        ranges.stream()
            .filter(r -> !holds(r.start(), r.end()))
            .sorted((a, b) -> Long.compare(a.start(), b.start()))
            .toList();
    List<ByteRange.Bounded> merged = new ArrayList<>();
    for (ByteRange.Bounded range : sorted) {
      int last = merged.size() - 1;
      if (last >= 0 && range.start() - merged.get(last).end() <= gap) {
        long end = Math.max(merged.get(last).end(), range.end());
        merged.set(last, ByteRange.of(merged.get(last).start(), end));
      } else {
        merged.add(range);
      }
    }
    List<CompletableFuture<ObjectBytes>> requests = new ArrayList<>();
    for (ByteRange.Bounded range : merged) {
      requests.add(path.store().get(path.key(), range, condition));
    }
    for (CompletableFuture<ObjectBytes> request : requests) {
      hold(StoreAnswers.await(request));
    }
  }

  private void hold(ObjectBytes answer) {
    byte[] bytes = new byte[answer.bytes().remaining()];
    answer.bytes().duplicate().get(bytes);
    held.put(answer.start(), bytes);
    condition = ReadCondition.ifMatch(answer.etag());
  }

  private boolean holds(long start, long end) {
    Map.Entry<Long, byte[]> block = held.floorEntry(start);
    return block != null && end <= block.getKey() + block.getValue().length;
  }

  private void read(long position, byte[] target, int offset, int count) throws IOException {
    if (position < 0 || position + count > length) {
      throw new EOFException(
          "bytes " + position + " to " + (position + count) + " of " + path + " with " + length);
    }
    if (count == 0) {
      return;
    }
    if (!holds(position, position + count)) {
      fetch(List.of(ByteRange.of(position, position + count)), 0);
    }
    Map.Entry<Long, byte[]> block = held.floorEntry(position);
    System.arraycopy(block.getValue(), (int) (position - block.getKey()), target, offset, count);
  }

  @Override
  public SeekableInputStream newStream() {
    return new DelegatingSeekableInputStream(new Stream()) {
      @Override
      public long getPos() {
        return ((Stream) getStream()).position;
      }

      @Override
      public void seek(long newPosition) {
        ((Stream) getStream()).position = newPosition;
      }
    };
  }

  private final class Stream extends java.io.InputStream {
    private long position;

    @Override
    public int read() throws IOException {
      if (position >= length) {
        return -1;
      }
      byte[] one = new byte[1];
      StoreInputFile.this.read(position++, one, 0, 1);
      return one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
      if (position >= length && count > 0) {
        return -1;
      }
      int available = (int) Math.min(count, length - position);
      StoreInputFile.this.read(position, target, offset, available);
      position += available;
      return available;
    }
  }
}
