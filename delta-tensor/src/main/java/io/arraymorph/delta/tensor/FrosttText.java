package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Sparse tensors as text in the FROSTT format ({@code .tns}): one cell a line, indices from 1, the
 * value last, {@code #} before comments. Shape and number of cells are not part of the format; the
 * extended format of MLIR has them in two lines after its comment, and is read as well.
 */
public final class FrosttText {
  private static final DataType DOUBLE = new DataType.Float(FloatFormat.FLOAT64);
  private static final String EXTENDED = "# extended FROSTT format";

  private FrosttText() {}

  /**
   * Reads a tensor of float64 with fill 0.
   *
   * @param shape if known; else the greatest index along each dimension
   * @throws ArrayMorphException METADATA_INVALID naming the line that does not parse, else as
   *     {@link SparseTensor#of}
   */
  public static SparseTensor read(
      BufferedReader text, Optional<Shape> shape, DuplicatePolicy duplicates) throws IOException {
    CellBuffer cells = null;
    long[] lengths = shape.map(Shape::toArray).orElse(null);
    long[] greatest = null;
    int headerLines = 0;
    int number = 0;
    for (String line = text.readLine(); line != null; line = text.readLine()) {
      number++;
      if (line.startsWith(EXTENDED)) {
        headerLines = 2;
        continue;
      }
      int comment = line.indexOf('#');
      String content = (comment < 0 ? line : line.substring(0, comment)).trim();
      if (content.isEmpty()) {
        continue;
      }
      String[] parts = content.split("\\s+");
      if (headerLines > 0) {
        headerLines--;
        lengths =
            headerLines == 0 && lengths == null ? indices(parts, parts.length, number) : lengths;
        continue;
      }
      if (cells == null) {
        cells = new CellBuffer(parts.length - 1, DOUBLE);
        greatest = new long[parts.length - 1];
      }
      if (parts.length != greatest.length + 1) {
        throw invalid(number, parts.length + " columns after lines of " + (greatest.length + 1));
      }
      long[] cell = indices(parts, parts.length - 1, number);
      for (int d = 0; d < cell.length; d++) {
        if (cell[d] < 1) {
          throw new ArrayMorphException(
              ErrorCode.OUT_OF_BOUNDS,
              "line " + number + " of a .tns text: index " + cell[d],
              "Indices count from 1; add 1 to those of a file in which they count from 0");
        }
        greatest[d] = Math.max(greatest[d], cell[d]);
        cell[d]--;
      }
      cells.append(cell);
      int at = cells.values().extend(1);
      long bits = Double.doubleToRawLongBits(value(parts[parts.length - 1], number));
      IntegerElements.write(cells.values().bytes(), at, 8, bits);
    }
    if (cells == null && lengths == null) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "a .tns text without a cell does not say how many dimensions the tensor has",
          "Check the file, or give the shape");
    }
    if (cells == null) {
      cells = new CellBuffer(lengths.length, DOUBLE);
    }
    ArraySchema schema = schema(lengths == null ? greatest : lengths);
    return SparseTensor.of(schema, cells, duplicates, FillPolicy.KEEP);
  }

  private static ArraySchema schema(long[] lengths) {
    List<String> names = IntStream.range(0, lengths.length).mapToObj(d -> "dim_" + d).toList();
    return new ArraySchema(
        DOUBLE,
        Shape.of(lengths),
        names,
        new FixedWidthElements(DOUBLE, Shape.of(), new byte[8], 0));
  }

  private static long[] indices(String[] parts, int count, int line) {
    try {
      return Arrays.stream(parts, 0, count).mapToLong(Long::parseLong).toArray();
    } catch (NumberFormatException e) {
      throw invalid(line, "not an index: " + e.getMessage());
    }
  }

  private static double value(String text, int line) {
    switch (text.toLowerCase(Locale.ROOT)) { // As C, numpy and Python write them.
      case "nan":
      case "+nan":
      case "-nan":
        return Double.NaN;
      case "inf":
      case "+inf":
        return Double.POSITIVE_INFINITY;
      case "-inf":
        return Double.NEGATIVE_INFINITY;
      default:
        break;
    }
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw invalid(line, "not a number: '" + text + "'");
    }
  }

  private static ArrayMorphException invalid(int line, String problem) {
    return new ArrayMorphException(
        ErrorCode.METADATA_INVALID,
        "line " + line + " of a .tns text: " + problem,
        "A line has the indices of one cell, from 1, and its value");
  }

  /**
   * Writes the stored cells of a tensor of numbers; TYPE_MISMATCH for other types.
   *
   * @param extended true to write shape and number of cells as MLIR's extended format has them
   */
  public static void write(SparseTensor tensor, boolean extended, Writer out) throws IOException {
    Shape shape = tensor.schema().shape();
    if (extended) {
      out.write(EXTENDED + "\n" + shape.rank() + " " + tensor.count() + "\n");
      String lengths = Arrays.toString(shape.toArray()).replaceAll("[\\[\\],]", "");
      out.write(lengths + "\n");
    }
    for (int i = 0; i < tensor.count(); i++) {
      StringBuilder line = new StringBuilder();
      for (int d = 0; d < shape.rank(); d++) {
        line.append(tensor.column(d)[i] + 1).append(' ');
      }
      out.write(line.append(number(tensor.values(), i)).append('\n').toString());
    }
  }

  private static String number(Elements values, int i) {
    DataType type = values.type();
    FixedWidthElements fixed =
        values instanceof FixedWidthElements ? (FixedWidthElements) values : null;
    if (fixed != null && type instanceof DataType.Int) {
      DataType.Int integer = (DataType.Int) type;
      long value = bits(fixed, i, integer.signed());
      return integer.signed() ? Long.toString(value) : Long.toUnsignedString(value);
    }
    if (fixed != null && type instanceof DataType.Float && type.byteWidth() >= 4) {
      long bits = bits(fixed, i, false);
      return type.byteWidth() == 4
          ? Float.toString(Float.intBitsToFloat((int) bits))
          : Double.toString(Double.longBitsToDouble(bits));
    }
    throw new ArrayMorphException(
        ErrorCode.TYPE_MISMATCH,
        "values of type " + type.zarrName() + " have no .tns text",
        "Cast them to a number");
  }

  private static long bits(FixedWidthElements values, int i, boolean signed) {
    int width = values.type().byteWidth();
    return IntegerElements.read(values.bytes(), values.offset() + i * width, width, signed);
  }
}
