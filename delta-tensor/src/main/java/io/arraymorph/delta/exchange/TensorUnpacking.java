package io.arraymorph.delta.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.delta.encoding.DataTypeJson;
import io.arraymorph.delta.tensor.CellBuffer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Reads what {@link TensorPacking} describes, from any process. Not thread-safe. */
public final class TensorUnpacking {
  private static final int MAX_HEAD = 1 << 20;
  private static final int BUFFER = 1 << 18;

  private final SeekableByteChannel in;
  private final JsonNode json;
  private final long body;
  private final ArraySchema schema;
  private final int count;

  /**
   * Reads the head.
   *
   * @throws ArrayMorphException METADATA_INVALID if the bytes are not a packed tensor
   */
  public TensorUnpacking(SeekableByteChannel in) throws IOException {
    this.in = in;
    try {
      int length = buffer(0, 4).getInt();
      if (length < 2 || length > MAX_HEAD) {
        throw new IllegalArgumentException("a head of " + length + " bytes");
      }
      json = new ObjectMapper().readTree(buffer(4, length).array());
      body = (4L + length + 63) / 64 * 64;
      DataType type = DataTypeJson.read(json.path("data_type"));
      List<Long> lengths = new ArrayList<>();
      json.path("shape").forEach(n -> lengths.add(n.asLong(-1)));
      List<String> names = new ArrayList<>();
      json.path("dimension_names").forEach(n -> names.add(n.asText()));
      Shape shape = Shape.of(lengths.stream().mapToLong(Long::longValue).toArray());
      schema = new ArraySchema(type, shape, names, fill(type));
      count = json.path("count").asInt(-1);
      if (count < 0) {
        throw new IllegalArgumentException("count " + json.path("count"));
      }
    } catch (IllegalArgumentException | EOFException e) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "what was handed over is not a packed tensor: " + e.getMessage(),
          "Use the same version of arraymorph in Python and in the JVM",
          e);
    }
  }

  private Elements fill(DataType type) {
    byte[] bytes = Base64.getDecoder().decode(json.path("fill").asText());
    return type.isFixedWidth()
        ? new FixedWidthElements(type, Shape.of(), bytes, 0)
        : new VariableWidthElements(type, Shape.of(), new int[] {0, bytes.length}, bytes);
  }

  /** Type, shape, dimension names and fill value. */
  public ArraySchema schema() {
    return schema;
  }

  /** True if there are values for every cell, and no indices. */
  public boolean isDense() {
    return json.path("dense").asBoolean();
  }

  /** The stored cells, as they came. */
  public CellBuffer cells() throws IOException {
    int rank = schema.shape().rank();
    CellBuffer cells = new CellBuffer(rank, schema.dataType());
    cells.extend(count);
    for (int d = 0; d < rank; d++) {
      integers(d, cells.column(d));
    }
    if (schema.dataType().isFixedWidth()) {
      int at = cells.values().extend(count);
      read(start(rank), cells.values().bytes(), at, count * schema.dataType().byteWidth());
    } else {
      VariableWidthElements text = text(rank);
      for (int i = 0; i < count; i++) {
        cells.values().append(text, i);
      }
    }
    return cells;
  }

  /** All cells, in C order. */
  public Elements dense() throws IOException {
    if (!schema.dataType().isFixedWidth()) {
      VariableWidthElements text = text(0);
      return new VariableWidthElements(
          schema.dataType(), schema.shape(), text.offsets(), text.bytes());
    }
    byte[] bytes = new byte[Math.multiplyExact(count, schema.dataType().byteWidth())];
    read(start(0), bytes, 0, bytes.length);
    return new FixedWidthElements(schema.dataType(), schema.shape(), bytes, 0);
  }

  private VariableWidthElements text(int part) throws IOException {
    long[] wide = new long[count + 1];
    integers(part, wide);
    int[] offsets = new int[count + 1];
    for (int i = 0; i <= count; i++) {
      offsets[i] = Math.toIntExact(wide[i]);
    }
    byte[] bytes = new byte[offsets[count]];
    read(start(part + 1), bytes, 0, bytes.length);
    return new VariableWidthElements(schema.dataType(), Shape.of(count), offsets, bytes);
  }

  private long start(int part) {
    return body + json.path("parts").path(part).path("offset").asLong();
  }

  private void integers(int part, long[] into) throws IOException {
    int width = json.path("parts").path(part).path("width").asInt();
    long length = json.path("parts").path(part).path("length").asLong();
    int n = Math.toIntExact(length / width);
    long at = start(part);
    for (int i = 0; i < n; ) {
      int some = Math.min(n - i, BUFFER / width);
      ByteBuffer numbers = buffer(at, some * width);
      for (int k = 0; k < some; k++) {
        into[i++] = width == 4 ? numbers.getInt() : numbers.getLong();
      }
      at += (long) some * width;
    }
  }

  private ByteBuffer buffer(long position, int length) throws IOException {
    byte[] bytes = new byte[length];
    read(position, bytes, 0, length);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void read(long position, byte[] into, int from, int length) throws IOException {
    in.position(position);
    ByteBuffer target = ByteBuffer.wrap(into, from, length);
    while (target.hasRemaining()) {
      if (in.read(target) < 0) {
        throw new EOFException("it ends " + target.remaining() + " bytes too early");
      }
    }
  }
}
