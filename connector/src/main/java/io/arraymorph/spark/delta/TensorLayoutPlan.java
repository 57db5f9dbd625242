package io.arraymorph.spark.delta;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.delta.encoding.LayoutChoice;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.table.TableForm;
import io.arraymorph.delta.tensor.IntegerElements;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/** The schema and layout of a tensor that is about to be written. */
final class TensorLayoutPlan {
  private final ArraySchema schema;
  private final TensorLayout layout;
  private final long count;

  /** Plans; looks at the cells for what the options do not say. */
  TensorLayoutPlan(TensorOptions options, TensorInput input, Dataset<Row> rows, TableForm form) {
    DataType type = input.elementType();
    Optional<Shape> asked = options.lengths("shape");
    if (input.tensors()) {
      Shape shape = asked.orElseGet(() -> shapeOfTensors(input, rows));
      schema = new ArraySchema(type, shape, input.dimensions(), fill(options, type));
      Shape block = options.lengths("block").orElse(firstShape(input, rows, shape));
      TensorEncoding encoding =
          options.storage().equals("auto")
              ? TensorEncoding.FTSF
              : TensorEncoding.of(options.storage());
      layout = TensorLayout.blocked(encoding, axes(shape), block, "tensor rows, one chunk each");
      count = 0;
      return;
    }
    CellSurvey survey = new CellSurvey(rows, input);
    Shape shape = asked.map(a -> filled(a, survey.shape())).orElseGet(survey::shape);
    TensorOptions.checkShape(shape, input.dimensions());
    count = survey.count();
    schema = new ArraySchema(type, shape, input.dimensions(), fill(options, type));
    if (form == TableForm.FLAT) {
      layout = TensorLayout.unblocked(TensorEncoding.COO, shape.rank(), "a flat table");
      return;
    }
    Optional<Shape> block = options.block(input.dimensions());
    LayoutChoice choice =
        new LayoutChoice(survey.sample(schema), options.sliced(input.dimensions()), block);
    layout =
        options.storage().equals("auto")
            ? choice.auto()
            : choice.of(TensorEncoding.of(options.storage()));
  }

  private static List<Integer> axes(Shape shape) {
    return IntStream.range(0, shape.rank()).boxed().toList();
  }

  private static Shape shapeOfTensors(TensorInput input, Dataset<Row> rows) {
    long[] lengths = new long[input.dimensions().size()];
    for (int d = 0; d < lengths.length; d++) {
      String value = CellSurvey.quoted(input.value());
      Row most =
          rows.agg(
                  functions.max(
                      functions.expr(
                          CellSurvey.quoted(input.dimensions().get(d))
                              + " + "
                              + value
                              + ".shape["
                              + d
                              + "]")))
              .collectAsList()
              .get(0);
      lengths[d] = most.isNullAt(0) ? 0 : most.getLong(0);
    }
    return Shape.of(lengths);
  }

  /** The shape of one row's tensor, as a hint where chunks are cut. */
  private static Shape firstShape(TensorInput input, Dataset<Row> rows, Shape shape) {
    List<Row> first =
        rows.select(functions.expr(CellSurvey.quoted(input.value()) + ".shape"))
            .limit(1)
            .collectAsList();
    long[] lengths = new long[shape.rank()];
    java.util.Arrays.fill(lengths, 1);
    if (!first.isEmpty() && !first.get(0).isNullAt(0)) {
      List<Integer> found = first.get(0).getList(0);
      for (int d = 0; d < Math.min(found.size(), lengths.length); d++) {
        lengths[d] = Math.max(1, found.get(d));
      }
    }
    return Shape.of(lengths);
  }

  /** A shape with lengths of 0 as far as the cells go. */
  private static Shape filled(Shape asked, Shape needed) {
    long[] lengths = asked.toArray();
    for (int d = 0; d < lengths.length && asked.rank() == needed.rank(); d++) {
      lengths[d] = lengths[d] == 0 ? needed.length(d) : lengths[d];
    }
    return Shape.of(lengths);
  }

  /** The schema of a tensor after cells or tensors were appended along a dimension. */
  static ArraySchema grown(
      TensorOptions options,
      TensorInput input,
      Dataset<Row> rows,
      ArraySchema before,
      int dimension) {
    Shape needed =
        input.tensors() ? shapeOfTensors(input, rows) : new CellSurvey(rows, input).shape();
    Shape asked = options.lengths("shape").orElse(needed);
    TensorOptions.checkShape(asked, input.dimensions());
    long[] lengths = before.shape().toArray();
    lengths[dimension] = Math.max(lengths[dimension], filled(asked, needed).length(dimension));
    return new ArraySchema(
        before.dataType(), Shape.of(lengths), before.dimensionNames(), before.fill());
  }

  private static Elements fill(TensorOptions options, DataType type) {
    if (!type.isFixedWidth()) {
      byte[] text =
          options.get("fill").orElse("").getBytes(java.nio.charset.StandardCharsets.UTF_8);
      return new VariableWidthElements(type, Shape.of(), new int[] {0, text.length}, text);
    }
    byte[] bytes = new byte[type.byteWidth()];
    options
        .get("fill")
        .ifPresent(
            text -> {
              try {
                IntegerElements.write(bytes, 0, bytes.length, bits(text, type));
              } catch (NumberFormatException e) {
                throw TensorOptions.invalid("fill", text, "Use a value of " + type.zarrName());
              }
            });
    return new FixedWidthElements(type, Shape.of(), bytes, 0);
  }

  private static long bits(String text, DataType type) {
    if (type instanceof DataType.Float) {
      return ((DataType.Float) type).format() == FloatFormat.FLOAT32
          ? Float.floatToRawIntBits(Float.parseFloat(text))
          : Double.doubleToRawLongBits(Double.parseDouble(text));
    }
    if (type instanceof DataType.Bool) {
      return Boolean.parseBoolean(text) ? 1 : 0;
    }
    long value = Long.parseLong(text);
    int bits = 8 * type.byteWidth();
    if (bits < 64 && (value >= 1L << (bits - 1) || value < -(1L << (bits - 1)))) {
      throw new NumberFormatException(text);
    }
    return value;
  }

  ArraySchema schema() {
    return schema;
  }

  TensorLayout layout() {
    return layout;
  }

  long count() {
    return count;
  }
}
