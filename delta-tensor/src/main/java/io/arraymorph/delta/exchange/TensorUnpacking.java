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
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.IntegerColumn;
import io.arraymorph.delta.tensor.NarrowCells;
import io.arraymorph.delta.tensor.SparseTensor;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;

/** Reads what {@link TensorPacking} describes, from any process. Not thread-safe. */
public final class TensorUnpacking {
  private static final int MAX_HEAD = 1 << 20;
  private static final int BUFFER = 1 << 18;

  private final FileChannel in;
  private final JsonNode json;
  private final long body;
  private final ArraySchema schema;
  private final int count;

  /**
   * Reads the head.
   *
   * @throws ArrayMorphException METADATA_INVALID if the bytes are not a packed tensor
   */
  public TensorUnpacking(FileChannel in) throws IOException {
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
  public SparseTensor cells(DuplicatePolicy duplicates) throws IOException {
    int rank = schema.shape().rank();
    if (schema.dataType().isFixedWidth()) {
      List<IntegerColumn> columns = new ArrayList<>();
      for (int d = 0; d < rank; d++) {
        columns.add(integers(d, count));
      }
      byte[] values = part(rank, count, schema.dataType().byteWidth());
      return SparseTensor.of(
          schema,
          new NarrowCells(
              columns, new FixedWidthElements(schema.dataType(), Shape.of(count), values, 0)),
          duplicates);
    }
    CellBuffer cells = new CellBuffer(rank, schema.dataType());
    cells.extend(count);
    for (int d = 0; d < rank; d++) {
      integers(d, count).copy(0, count, cells.column(d));
    }
    VariableWidthElements text = text(rank);
    for (int i = 0; i < count; i++) {
      cells.values().append(text, i);
    }
    return SparseTensor.of(schema, cells, duplicates, FillPolicy.KEEP);
  }

  /** All cells, in C order. */
  public Elements dense() throws IOException {
    if (!schema.dataType().isFixedWidth()) {
      VariableWidthElements text = text(0);
      return new VariableWidthElements(
          schema.dataType(), schema.shape(), text.offsets(), text.bytes());
    }
    byte[] bytes = part(0, count, schema.dataType().byteWidth());
    return new FixedWidthElements(schema.dataType(), schema.shape(), bytes, 0);
  }

  private VariableWidthElements text(int part) throws IOException {
    IntegerColumn wide = integers(part, count + 1);
    int[] offsets = new int[count + 1];
    for (int i = 0; i <= count; i++) {
      offsets[i] = Math.toIntExact(wide.get(i));
    }
    byte[] bytes = part(part + 1, offsets[count], 1);
    return new VariableWidthElements(schema.dataType(), Shape.of(count), offsets, bytes);
  }

  private long start(int part) {
    return body + json.path("parts").path(part).path("offset").asLong();
  }

  private IntegerColumn integers(int part, int elements) throws IOException {
    int width = json.path("parts").path(part).path("width").asInt();
    return new IntegerColumn(part(part, elements, width), width);
  }

  /** The bytes of a part that must have so many elements, by several threads if it is much. */
  private byte[] part(int part, int elements, int width) throws IOException {
    long length = json.path("parts").path(part).path("length").asLong(-1);
    if (length != (long) elements * width
        || length > Integer.MAX_VALUE - 16
        || (length > 0 && start(part) + length > in.size())) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "part " + part + " of what was handed over has " + length + " bytes for " + elements,
          "Use the same version of arraymorph in Python and in the JVM");
    }
    byte[] bytes = new byte[(int) length];
    long from = start(part);
    try {
      IntStream.range(0, (bytes.length + BUFFER - 1) / BUFFER)
          .parallel()
          .forEach(k -> some(from, bytes, k * BUFFER));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return bytes;
  }

  private void some(long start, byte[] into, int from) {
    try {
      read(start + from, into, from, Math.min(BUFFER, into.length - from));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ByteBuffer buffer(long position, int length) throws IOException {
    byte[] bytes = new byte[length];
    read(position, bytes, 0, length);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void read(long position, byte[] into, int from, int length) throws IOException {
    ByteBuffer target = ByteBuffer.wrap(into, from, length);
    while (target.hasRemaining()) {
      int done = length - target.remaining();
      if (in.read(target, position + done) < 0) {
        throw new EOFException("it ends " + target.remaining() + " bytes too early");
      }
    }
  }
}
