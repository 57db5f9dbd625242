package io.arraymorph.layout.npy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a {@code .npy} file says before its elements.
 *
 * @param npyType type and byte order of the elements
 * @param shape lengths along each dimension, in C order
 * @param dataStart offset in bytes of the first element
 */
public record NpyHeader(NpyType npyType, Shape shape, long dataStart) {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int MAX_HEADER = 1 << 20;
  private static final int ALIGNMENT = 64;
  private static final Pattern DESCR =
      Pattern.compile("'descr'\\s*:\\s*('[^']*'|\"[^\"]*\"|\\[.*?])\\s*,\\s*'");
  private static final Pattern ORDER = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
  private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([0-9,\\sL]*)\\)");

  /** Bytes by position: those of a file, or in memory. */
  interface Source {
    /** Reads some bytes at a position; -1 at the end. */
    int read(ByteBuffer into, long position) throws IOException;
  }

  /**
   * Reads the header of a file.
   *
   * @param size of the file in bytes
   * @param file its name, for errors
   * @throws ArrayMorphException METADATA_INVALID, UNSUPPORTED_TYPE, UNSUPPORTED_FEATURE
   */
  static NpyHeader read(Source source, long size, Object file) throws IOException {
    ByteBuffer start = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    readFully(source, start, 0);
    byte[] magic = Arrays.copyOf(start.array(), MAGIC.length);
    if (start.position() < 10 || !Arrays.equals(magic, MAGIC)) {
      throw invalid(file, "does not start like a .npy file");
    }
    int major = start.get(6);
    boolean wide = major > 1;
    long length = wide ? Integer.toUnsignedLong(start.getInt(8)) : start.getShort(8) & 0xffff;
    int textStart = wide ? 12 : 10;
    if (major < 1 || major > 3 || length > MAX_HEADER) {
      throw invalid(file, "has version " + major + " and a header of " + length + " bytes");
    }
    ByteBuffer text = ByteBuffer.allocate((int) length);
    readFully(source, text, textStart);
    if (text.hasRemaining()) {
      throw invalid(file, "ends in its header");
    }
    NpyHeader header =
        parse(new String(text.array(), StandardCharsets.UTF_8), textStart + length, file);
    long bytes;
    try {
      bytes =
          Math.multiplyExact(header.shape.elementCount(), (long) header.npyType.type().byteWidth());
    } catch (ArithmeticException e) {
      throw invalid(file, "has an impossible shape " + header.shape);
    }
    if (size - header.dataStart < bytes) {
      throw invalid(
          file, "ends after " + size + " bytes, its shape " + header.shape + " needs more");
    }
    return header;
  }

  private static NpyHeader parse(String text, long dataStart, Object file) {
    Matcher descr = DESCR.matcher(text);
    Matcher order = ORDER.matcher(text);
    Matcher shape = SHAPE.matcher(text);
    if (!descr.find() || !order.find() || !shape.find()) {
      throw invalid(file, "has a header that does not parse: " + text.strip());
    }
    long[] lengths;
    try {
      lengths =
          Arrays.stream(shape.group(1).split(","))
              .map(part -> part.replace("L", "").strip())
              .filter(part -> !part.isEmpty())
              .mapToLong(Long::parseLong)
              .toArray();
    } catch (NumberFormatException e) {
      throw invalid(file, "has a header that does not parse: " + text.strip());
    }
    if (order.group(1).equals("True") && lengths.length > 1) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          file + " is in Fortran order",
          "Save numpy.ascontiguousarray(array) instead");
    }
    return new NpyHeader(NpyType.parse(descr.group(1)), Shape.of(lengths), dataStart);
  }

  static void readFully(Source source, ByteBuffer into, long start) throws IOException {
    long offset = start;
    while (into.hasRemaining()) {
      int count = source.read(into, offset);
      if (count < 0) {
        return;
      }
      offset += count;
    }
  }

  private static ArrayMorphException invalid(Object file, String how) {
    return new ArrayMorphException(
        ErrorCode.METADATA_INVALID, file + " " + how, "Save it again with numpy.save");
  }

  /** The bytes of a header for little-endian elements in C order. */
  static byte[] format(DataType type, Shape shape) {
    String lengths =
        Arrays.stream(shape.toArray())
            .mapToObj(length -> length + ", ")
            .collect(Collectors.joining());
    String text =
        "{'descr': "
            + NpyType.descr(type)
            + ", 'fortran_order': False, 'shape': ("
            + (shape.rank() == 1 ? lengths.strip() : lengths.replaceAll(", $", ""))
            + "), }";
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    boolean wide = utf8.length > 65_000;
    int prefix = wide ? 12 : 10;
    int total = (prefix + utf8.length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    ByteBuffer header = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    header.put(MAGIC).put((byte) (wide ? 3 : 1)).put((byte) 0);
    if (wide) {
      header.putInt(total - prefix);
    } else {
      header.putShort((short) (total - prefix));
    }
    header.put(utf8);
    while (header.position() < total - 1) {
      header.put((byte) ' ');
    }
    return header.put((byte) '\n').array();
  }
}
