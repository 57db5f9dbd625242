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
  private byte[] kept;

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

  /**
   * The stored cells, as they came; they may lie in memory that {@link #release} gives to others.
   */
  public SparseTensor cells(DuplicatePolicy duplicates) throws IOException {
    int rank = schema.shape().rank();
    DataType type = schema.dataType();
    if (type.isFixedWidth()) {
      long size = Math.max(0, in.size() - body);
      if (size <= HandedMemory.LARGEST_KEPT) {
        kept = HandedMemory.take((int) size);
        read(body, kept, (int) size);
      }
      List<IntegerColumn> columns = new ArrayList<>();
      for (int d = 0; d < rank; d++) {
        columns.add(integers(d, count));
      }
      return SparseTensor.of(
          schema,
          json.path("small").asBoolean()
              ? NarrowCells.of(columns, type, integers(rank, count))
              : NarrowCells.of(columns, values(rank)),
          duplicates);
    }
    CellBuffer cells = new CellBuffer(rank, type);
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

  private FixedWidthElements values(int part) throws IOException {
    Part bytes = part(part, count, schema.dataType().byteWidth());
    return new FixedWidthElements(schema.dataType(), Shape.of(count), bytes.array(), bytes.from());
  }

  /** Lets others use the memory in which the cells are, which nobody needs any longer. */
  public void release() {
    if (kept != null) {
      HandedMemory.give(kept);
      kept = null;
    }
  }

  /** All cells, in C order. */
  public Elements dense() throws IOException {
    if (!schema.dataType().isFixedWidth()) {
      VariableWidthElements text = text(0);
      return new VariableWidthElements(
          schema.dataType(), schema.shape(), text.offsets(), text.bytes());
    }
    Part bytes = part(0, count, schema.dataType().byteWidth());
    return new FixedWidthElements(schema.dataType(), schema.shape(), bytes.array(), bytes.from());
  }

  private VariableWidthElements text(int part) throws IOException {
    IntegerColumn wide = integers(part, count + 1);
    int[] offsets = new int[count + 1];
    for (int i = 0; i <= count; i++) {
      offsets[i] = Math.toIntExact(wide.get(i));
    }
    Part bytes = part(part + 1, offsets[count], 1);
    return new VariableWidthElements(schema.dataType(), Shape.of(count), offsets, bytes.array());
  }

  private long start(int part) {
    return body + json.path("parts").path(part).path("offset").asLong();
  }

  private IntegerColumn integers(int part, int elements) throws IOException {
    int width = json.path("parts").path(part).path("width").asInt();
    Part bytes = part(part, elements, width);
    return new IntegerColumn(bytes.array(), bytes.from(), width, elements);
  }

  /** Where the bytes of a part begin. */
  @SuppressWarnings("ArrayRecordComponent") // Lives for one call.
  private record Part(byte[] array, int from) {}

  /** The bytes of a part, which must have so many elements. */
  private Part part(int part, int elements, int width) throws IOException {
    long length = json.path("parts").path(part).path("length").asLong(-1);
    if (length != (long) elements * width
        || length > Integer.MAX_VALUE - 16
        || start(part) < body
        || (length > 0 && start(part) + length > in.size())) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "part " + part + " of what was handed over has " + length + " bytes for " + elements,
          "Use the same version of arraymorph in Python and in the JVM");
    }
    if (kept != null) {
      return new Part(kept, length == 0 ? 0 : (int) (start(part) - body));
    }
    byte[] bytes = new byte[(int) length];
    read(start(part), bytes, bytes.length);
    return new Part(bytes, 0);
  }

  /** Reads so many bytes, by several threads if they are many. */
  private void read(long position, byte[] into, int length) throws IOException {
    try {
      IntStream.range(0, (length + BUFFER - 1) / BUFFER)
          .parallel()
          .forEach(k -> some(position, into, k * BUFFER, length));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void some(long position, byte[] into, int from, int length) {
    try {
      read(position + from, into, from, Math.min(BUFFER, length - from));
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
