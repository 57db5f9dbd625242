package io.arraymorph.delta.table;

import com.github.luben.zstd.Zstd;
import io.arraymorph.store.ObjectBytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;

/**
 * One page of a payload column: waits for its bytes and decodes them when the first of its values
 * is asked for. Thread-safe.
 */
final class PayloadPage {
  private static final int GREATEST_PAGE = Integer.MAX_VALUE - 16;

  /** Where the bytes of a page come from. */
  interface Source {
    /** Waits for the bytes. */
    ObjectBytes await();

    /** Says that a page needs them no longer. */
    void decoded();
  }

  private final PayloadPages.Chunk chunk;
  private final int number;
  private final Source source;
  private int expected;
  private byte[] data;
  private int[] starts;

  /** A page whose bytes are in an answer of the source. */
  PayloadPage(PayloadPages.Chunk chunk, int number, Source source) {
    this.chunk = chunk;
    this.number = number;
    this.source = source;
  }

  /** Says that one more value will be asked for; after the last one the page forgets its bytes. */
  synchronized void expectValue() {
    expected++;
  }

  /** Takes a value where it lies in an array, which is valid during the call only. */
  interface Use<T> {
    T take(byte[] array, int from, int to);
  }

  /**
   * Makes something of the value of a row of the file, asked for once; empty for NULL. A value that
   * has the page to itself is not copied.
   */
  <T> T value(long row, Use<T> use) throws IOException {
    if (rows() > 1) {
      byte[] value = value(row);
      return use.take(value, 0, value.length);
    }
    Encoded page = encoded();
    byte[] memory = PageMemory.take(page.whole());
    try {
      int[] at = decode(page, memory);
      return use.take(memory, Math.max(0, at[0]), Math.max(0, at[1]));
    } finally {
      PageMemory.give(memory);
    }
  }

  /** The value of a row of the file, asked for once; empty for NULL. */
  byte[] value(long row) throws IOException {
    byte[] bytes;
    int[] at;
    synchronized (this) {
      if (data == null) {
        Encoded page = encoded();
        data = new byte[page.whole()];
        starts = decode(page, data);
      }
      bytes = data;
      at = starts;
      if (--expected == 0) {
        data = null;
        starts = null;
      }
    }
    int i = (int) (row - chunk.firstRows()[number]);
    int start = at[2 * i];
    return start < 0 ? new byte[0] : java.util.Arrays.copyOfRange(bytes, start, at[2 * i + 1]);
  }

  private int rows() {
    return (int) (chunk.firstRows()[number + 1] - chunk.firstRows()[number]);
  }

  /**
   * A page as it was fetched.
   *
   * @param whole bytes when decoded
   * @param array holds the page behind its header from {@code body} on
   */
  @SuppressWarnings("ArrayRecordComponent") // Taken apart at once.
  private record Encoded(PageHeader header, int whole, byte[] array, int body, int size) {}

  private Encoded encoded() throws IOException {
    ObjectBytes got = source.await();
    ByteBuffer buffer = got.bytes();
    int from = Math.toIntExact(chunk.offsets()[number] - got.start());
    if (from < 0 || chunk.sizes()[number] > buffer.remaining() - from) {
      throw new IOException("page " + number + " lies outside what was fetched for it");
    }
    byte[] array = buffer.array();
    int at = buffer.arrayOffset() + buffer.position() + from;
    ByteArrayInputStream in = new ByteArrayInputStream(array, at, chunk.sizes()[number]);
    PageHeader header = Util.readPageHeader(in);
    int size = header.getCompressed_page_size();
    int body = at + chunk.sizes()[number] - in.available();
    long whole = header.getUncompressed_page_size();
    if (size < 0 || size > in.available() || whole < 0 || whole > GREATEST_PAGE) {
      throw new IOException("page " + number + " has " + size + " bytes of " + whole);
    }
    check(header, array, body, size);
    return new Encoded(header, (int) whole, array, body, size);
  }

  /** Start and end of each row's value in the memory, -1 for NULL. */
  private int[] decode(Encoded page, byte[] memory) throws IOException {
    PageHeader header = page.header();
    boolean second = header.getType() == PageType.DATA_PAGE_V2;
    int levels = second ? levelBytes(header.getData_page_header_v2(), page.size()) : 0;
    ByteBuffer plain = ByteBuffer.wrap(memory, 0, page.whole()).order(ByteOrder.LITTLE_ENDIAN);
    System.arraycopy(page.array(), page.body(), memory, 0, Math.min(levels, page.whole()));
    boolean compressed =
        chunk.compressed() && (!second || header.getData_page_header_v2().isIs_compressed());
    decompress(page, plain, levels, compressed);
    int[] at = second ? second(header, plain, levels) : first(header, plain);
    source.decoded();
    return at;
  }

  private void check(PageHeader header, byte[] array, int body, int size) throws IOException {
    if (header.isSetCrc()) {
      CRC32 crc = new CRC32();
      crc.update(array, body, size);
      if ((int) crc.getValue() != header.getCrc()) {
        throw new IOException("page " + number + " has another checksum than its bytes");
      }
    }
    boolean plain =
        header.getType() == PageType.DATA_PAGE
            ? header.getData_page_header().getEncoding() == Encoding.PLAIN
            : header.getType() == PageType.DATA_PAGE_V2
                && header.getData_page_header_v2().getEncoding() == Encoding.PLAIN;
    if (!plain) {
      throw new IOException("page " + number + " is none of plain values");
    }
  }

  private static int levelBytes(DataPageHeaderV2 header, int size) throws IOException {
    long levels =
        (long) header.getRepetition_levels_byte_length()
            + header.getDefinition_levels_byte_length();
    if (levels < 0 || levels > size) {
      throw new IOException("levels of " + levels + " bytes in a page of " + size);
    }
    return (int) levels;
  }

  private void decompress(Encoded page, ByteBuffer to, int levels, boolean compressed)
      throws IOException {
    int at = page.body() + levels;
    int size = page.size() - levels;
    int room = to.limit() - levels;
    long got = size;
    if (compressed) {
      got =
          Zstd.decompressByteArray(
              to.array(), to.arrayOffset() + levels, room, page.array(), at, size);
      if (Zstd.isError(got)) {
        throw new IOException("page " + number + ": " + Zstd.getErrorName(got));
      }
    } else if (size <= room) {
      System.arraycopy(page.array(), at, to.array(), to.arrayOffset() + levels, size);
    }
    if (got != room) {
      throw new IOException("page " + number + " has " + got + " bytes, not " + room);
    }
  }

  private int[] first(PageHeader header, ByteBuffer plain) throws IOException {
    int levels = chunk.optional() ? 4 : 0;
    if (chunk.optional()) {
      int length = plain.limit() < 4 ? -1 : plain.getInt(0);
      if (length < 0 || length > plain.limit() - 4) {
        throw new IOException("levels of " + length + " bytes in page " + number);
      }
      levels += length;
    }
    requireRows(header.getData_page_header().getNum_values());
    return values(plain, levels, present(plain, 4, levels));
  }

  private int[] second(PageHeader header, ByteBuffer plain, int levels) throws IOException {
    DataPageHeaderV2 own = header.getData_page_header_v2();
    requireRows(own.getNum_values());
    int definitions = own.getRepetition_levels_byte_length();
    return values(plain, levels, present(plain, definitions, levels));
  }

  private void requireRows(int found) throws IOException {
    if (found != rows()) {
      throw new IOException("page " + number + " has " + found + " rows, not " + rows());
    }
  }

  /** Which rows have a value: levels of one bit, in runs or packed by eights. */
  private boolean[] present(ByteBuffer bytes, int from, int to) throws IOException {
    int rows = rows();
    boolean[] present = new boolean[rows];
    if (!chunk.optional()) {
      java.util.Arrays.fill(present, true);
      return present;
    }
    int at = from;
    int row = 0;
    while (row < rows) {
      long head = 0;
      int shift = 0;
      boolean more = true;
      while (more) {
        if (at >= to || shift > 28) {
          throw new IOException("the levels of page " + number + " end too early");
        }
        head |= (long) (bytes.get(at) & 0x7F) << shift;
        more = bytes.get(at++) < 0;
        shift += 7;
      }
      long count = (head & 1) == 0 ? head >>> 1 : head >>> 1 << 3;
      int width = (int) Math.min((head & 1) == 0 ? 1 : head >>> 1, Integer.MAX_VALUE);
      if (count == 0 || width > to - at) {
        throw new IOException("the levels of page " + number + " end too early");
      }
      for (long i = 0; i < count && row < rows; i++) {
        int bits = bytes.get((head & 1) == 0 ? at : at + (int) (i >> 3));
        present[row++] = ((head & 1) == 0 ? bits & 1 : bits >> (i & 7) & 1) == 1;
      }
      at += width;
    }
    return present;
  }

  private int[] values(ByteBuffer plain, int from, boolean[] present) throws IOException {
    int[] at = new int[2 * present.length];
    int position = from;
    for (int i = 0; i < present.length; i++) {
      at[2 * i] = -1;
      if (present[i]) {
        int length = plain.limit() - position < 4 ? -1 : plain.getInt(position);
        if (length < 0 || length > plain.limit() - position - 4) {
          throw new IOException("value " + i + " of page " + number + " ends too late");
        }
        at[2 * i] = position + 4;
        position += 4 + length;
        at[2 * i + 1] = position;
      }
    }
    return at;
  }
}
