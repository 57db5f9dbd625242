package io.arraymorph.layout.cf;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The little-endian numbers of a {@code .npy} file of version 1. */
final class NpyFile {
  private static final Pattern DESCR = Pattern.compile("'descr': '[<|]([a-z])(\\d+)'");
  private static final Pattern SHAPE = Pattern.compile("'shape': \\(([^)]*)\\)");

  private NpyFile() {}

  static FixedWidthElements read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int header = (bytes[8] & 0xFF) | (bytes[9] & 0xFF) << 8;
    String text = new String(bytes, 10, header, StandardCharsets.ISO_8859_1);
    Matcher descr = DESCR.matcher(text);
    Matcher shape = SHAPE.matcher(text);
    if (!descr.find() || !shape.find()) {
      throw new IOException(file + ": " + text);
    }
    long[] lengths =
        Arrays.stream(shape.group(1).split(","))
            .map(String::trim)
            .filter(s -> !s.isEmpty())
            .mapToLong(Long::parseLong)
            .toArray();
    DataType type = type(descr.group(1), Integer.parseInt(descr.group(2)));
    return new FixedWidthElements(type, Shape.of(lengths), bytes, 10 + header);
  }

  private static DataType type(String kind, int width) {
    switch (kind) {
      case "b":
        return new DataType.Bool();
      case "i":
      case "u":
        return new DataType.Int(8 * width, kind.equals("i"));
      default:
        return new DataType.Float(
            width == 2
                ? FloatFormat.FLOAT16
                : width == 4 ? FloatFormat.FLOAT32 : FloatFormat.FLOAT64);
    }
  }
}
