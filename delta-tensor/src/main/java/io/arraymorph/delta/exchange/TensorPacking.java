package io.arraymorph.delta.exchange;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.delta.encoding.DataTypeJson;
import io.arraymorph.delta.tensor.SparseTensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * A tensor, or the dense cells of a slice, as one run of bytes whose parts another process reads in
 * place.
 *
 * <p>Four bytes little-endian with the length of a JSON text, that text in UTF-8, zeros up to the
 * next multiple of 64, then the parts, each starting at a multiple of 64 after that place (the
 * <em>body</em>): one column of indices per dimension ({@code int32}, or {@code int64} where the
 * length needs it, here; who hands cells to this process may give {@code uint8} and {@code uint16}
 * too; none if dense), then the values (little-endian; text and bytes as {@code int32} offsets,
 * {@code count + 1} of them, then a part with the bytes). The JSON has {@code data_type}, {@code
 * shape}, {@code dimension_names}, {@code fill} (base64), {@code count}, {@code dense} and {@code
 * parts}: offset in the body, length in bytes and width of an element of each part.
 *
 * <p>{@code small}, which only others set, says that the values are integers from 0 to 255, a byte
 * each, of a type of integers, {@code float32} or {@code float64}.
 *
 * <p>Immutable.
 */
public final class TensorPacking {
  private static final int ALIGNMENT = 64;
  private static final int BUFFER = 1 << 18;

  /** With fewer cells, other threads are not worth waking. */
  private static final int LEAST_PARALLEL = 1 << 15;

  private static final int WIDE = 64;

  /** Numbers copied at a time. */
  private static final int SOME = 1 << 11;

  /** Outside Java's memory, so that the system takes the bytes without copying them again. */
  private static final ThreadLocal<ByteBuffer> BUFFERS =
      ThreadLocal.withInitial(
          () -> ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.LITTLE_ENDIAN));

  private final ArraySchema schema;
  private final SparseTensor cells;
  private final Elements values;
  private final int count;
  private final byte[] head;

  /** Where each part begins in the body, and where the last one ends with what fills it up. */
  private final long[] starts;

  private TensorPacking(ArraySchema schema, SparseTensor cells, Elements values, int count) {
    this.schema = schema;
    this.cells = cells;
    this.values = values;
    this.count = count;
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.set("data_type", DataTypeJson.write(schema.dataType()));
    ArrayNode shape = json.putArray("shape");
    Arrays.stream(schema.shape().toArray()).forEach(shape::add);
    schema.dimensionNames().forEach(json.putArray("dimension_names")::add);
    json.put("fill", Base64.getEncoder().encodeToString(bytesOf(schema.fill())));
    json.put("count", count);
    json.put("dense", cells == null);
    ArrayNode parts = json.putArray("parts");
    int columns = cells == null ? 0 : schema.shape().rank();
    boolean fixed = schema.dataType().isFixedWidth();
    this.starts = new long[columns + (fixed ? 2 : 3)];
    for (int d = 0; d < columns; d++) {
      starts[d + 1] = part(parts, starts[d], (long) count * indexWidth(d), indexWidth(d));
    }
    if (fixed) {
      int width = schema.dataType().byteWidth();
      starts[columns + 1] = part(parts, starts[columns], (long) count * width, width);
    } else {
      int bytes = ((VariableWidthElements) values).offsets()[count];
      starts[columns + 1] = part(parts, starts[columns], 4L * (count + 1), 4);
      starts[columns + 2] = part(parts, starts[columns + 1], bytes, 1);
    }
    byte[] text = json.toString().getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate((int) aligned(4L + text.length));
    bytes.order(ByteOrder.LITTLE_ENDIAN).putInt(text.length).put(text);
    this.head = bytes.array();
  }

  private static long part(ArrayNode parts, long at, long length, int width) {
    parts.addObject().put("offset", at).put("length", length).put("width", width);
    return aligned(at + length);
  }

  private static long aligned(long position) {
    return (position + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  private static byte[] bytesOf(Elements fill) {
    if (fill instanceof FixedWidthElements) {
      FixedWidthElements one = (FixedWidthElements) fill;
      return Arrays.copyOfRange(one.bytes(), one.offset(), one.offset() + one.type().byteWidth());
    }
    VariableWidthElements one = (VariableWidthElements) fill;
    return Arrays.copyOfRange(one.bytes(), one.offsets()[0], one.offsets()[1]);
  }

  private int indexWidth(int dimension) {
    return schema.shape().length(dimension) <= Integer.MAX_VALUE ? 4 : 8;
  }

  /** The stored cells of a tensor. */
  public static TensorPacking of(SparseTensor tensor) {
    Elements values = tensor.schema().dataType().isFixedWidth() ? null : tensor.values();
    return new TensorPacking(tensor.schema(), tensor, values, tensor.count());
  }

  /** All cells of an array in C order; the shape is theirs. */
  public static TensorPacking ofDense(ArraySchema schema, Elements values) {
    return new TensorPacking(schema, null, values, values.count());
  }

  /**
   * All cells of an array whose values are written by someone else, right after {@link #head()}.
   *
   * @param schema of elements of one width; the shape is theirs
   */
  public static TensorPacking ofDense(ArraySchema schema) {
    int count = Math.toIntExact(schema.shape().elementCount());
    return new TensorPacking(schema, null, schema.fill(), count);
  }

  /** Everything before the first part. */
  public byte[] head() {
    return head.clone();
  }

  /** The number of bytes that {@link #write} writes. */
  public long size() {
    return head.length + starts[starts.length - 1];
  }

  /** Writes all bytes. */
  public void write(WritableByteChannel out) throws IOException {
    Sink sink = new Sink(out);
    sink.bytes(head, 0, head.length);
    sink.pad();
    for (int d = 0; cells != null && d < schema.shape().rank(); d++) {
      int dimension = d;
      sink.integers(
          (from, to, into) -> cells.copyColumn(dimension, from, to, into), count, indexWidth(d));
    }
    if (cells != null && isNarrow()) {
      sink.values(cells, count, schema.dataType().byteWidth());
    } else if (schema.dataType().isFixedWidth()) {
      FixedWidthElements fixed = (FixedWidthElements) (cells == null ? values : cells.values());
      sink.bytes(fixed.bytes(), fixed.offset(), count * schema.dataType().byteWidth());
      sink.pad();
    } else {
      VariableWidthElements text = (VariableWidthElements) values;
      sink.integers(
          (from, to, into) ->
              Arrays.setAll(into, i -> from + i < to ? text.offsets()[from + i] : 0),
          count + 1,
          4);
      sink.bytes(text.bytes(), 0, text.offsets()[count]);
      sink.pad();
    }
    sink.flush();
  }

  /** True for values that can be copied some at a time without much memory. */
  private boolean isNarrow() {
    return schema.dataType().isFixedWidth() && schema.dataType().byteWidth() <= WIDE;
  }

  /**
   * As {@link #write(WritableByteChannel)}, into an empty file, by several threads if it is much.
   */
  public void writeFile(FileChannel file) throws IOException {
    if (cells == null || !isNarrow() || count < LEAST_PARALLEL) {
      write(file);
      return;
    }
    CellParts.put(file, 0, ByteBuffer.wrap(head));
    new CellParts(cells, file, head.length, starts).write();
  }

  /** Copies some of a run of numbers to the start of an array. */
  private interface Numbers {
    void copy(int from, int to, long[] into);
  }

  /** Buffers what is written and pads each part. */
  private static final class Sink {
    private final WritableByteChannel out;
    private final ByteBuffer buffer = BUFFERS.get().clear();
    private final long[] some = new long[SOME];
    private long written;

    Sink(WritableByteChannel out) {
      this.out = out;
    }

    void integers(Numbers numbers, int count, int width) throws IOException {
      for (int from = 0; from < count; from += SOME) {
        int n = Math.min(SOME, count - from);
        numbers.copy(from, from + n, some);
        if (buffer.remaining() < n * width) {
          flush();
        }
        if (width == 4) {
          for (int i = 0; i < n; i++) {
            buffer.putInt((int) some[i]);
          }
        } else {
          for (int i = 0; i < n; i++) {
            buffer.putLong(some[i]);
          }
        }
      }
      written += (long) count * width;
      pad();
    }

    void bytes(byte[] source, int from, int length) throws IOException {
      for (int done = 0; done < length; ) {
        if (!buffer.hasRemaining()) {
          flush();
        }
        int n = Math.min(buffer.remaining(), length - done);
        buffer.put(source, from + done, n);
        done += n;
      }
      written += length;
    }

    void values(SparseTensor cells, int count, int width) throws IOException {
      byte[] values = new byte[SOME * width];
      for (int from = 0; from < count; from += SOME) {
        int to = Math.min(count, from + SOME);
        cells.copyValues(from, to, values);
        bytes(values, 0, (to - from) * width);
      }
      pad();
    }

    void pad() throws IOException {
      if (buffer.remaining() < ALIGNMENT) {
        flush();
      }
      for (; written % ALIGNMENT != 0; written++) {
        buffer.put((byte) 0);
      }
    }

    void flush() throws IOException {
      buffer.flip();
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      buffer.clear();
    }
  }
}
