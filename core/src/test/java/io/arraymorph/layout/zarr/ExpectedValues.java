package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatBits;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.VariableWidthElements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** Compares elements with the values that a fixture holds, bit by bit. */
public final class ExpectedValues {
  private ExpectedValues() {}

  /** Null if the elements are those expected, else what differs first. */
  public static String difference(Fixture fixture, Elements elements) {
    String file = fixture.entry().get("expected_file").asText();
    return file.endsWith(".json") ? textDifference(file, elements) : npyDifference(file, elements);
  }

  private static String textDifference(String file, Elements elements) {
    JsonNode expected = Fixture.json(file);
    List<String> wanted = new ArrayList<>();
    expected.get("values").forEach(v -> wanted.add(v.asText()));
    boolean base64 = expected.get("kind").asText().equals("bytes");
    List<String> got = texts((VariableWidthElements) elements, base64);
    return got.equals(wanted) ? null : "expected " + wanted + ", got " + got;
  }

  private static List<String> texts(VariableWidthElements elements, boolean base64) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < elements.count(); i++) {
      byte[] bytes =
          Arrays.copyOfRange(elements.bytes(), elements.offsets()[i], elements.offsets()[i + 1]);
      texts.add(
          base64
              ? Base64.getEncoder().encodeToString(bytes)
              : new String(bytes, StandardCharsets.UTF_8));
    }
    return texts;
  }

  private static String npyDifference(String file, Elements elements) {
    byte[] npy;
    try {
      npy = Files.readAllBytes(Fixture.ROOT.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ByteBuffer buffer = ByteBuffer.wrap(npy).order(ByteOrder.LITTLE_ENDIAN);
    int start = npy[6] == 1 ? 10 + (buffer.getShort(8) & 0xffff) : 12 + buffer.getInt(8);
    String header = new String(npy, 10, start - 10, StandardCharsets.US_ASCII);
    if (!header.contains("'fortran_order': False")) {
      return "the expected file is in Fortran order";
    }
    byte[] wanted = Arrays.copyOfRange(npy, start, npy.length);
    byte[] got = widened((FixedWidthElements) elements);
    if (Arrays.equals(wanted, got)) {
      return null;
    }
    int at = Arrays.mismatch(wanted, got);
    return String.format(
        "byte %d of %d (expected %d) differs: expected %s, got %s",
        at, got.length, wanted.length, hex(wanted, at), hex(got, at));
  }

  private static String hex(byte[] bytes, int at) {
    int from = Math.max(0, Math.min(bytes.length, at) / 8 * 8);
    StringBuilder text = new StringBuilder();
    for (int i = from; i < Math.min(bytes.length, from + 16); i++) {
      text.append(String.format("%02x", bytes[i]));
    }
    return text.toString();
  }

  /** The elements' bytes; small floats as float32, which the expected files hold for them. */
  private static byte[] widened(FixedWidthElements elements) {
    byte[] bytes =
        Arrays.copyOfRange(
            elements.bytes(), elements.offset(), elements.offset() + (int) elements.byteSize());
    if (!(elements.type() instanceof DataType.Float)) {
      return bytes;
    }
    FloatFormat format = ((DataType.Float) elements.type()).format();
    boolean small = format.byteWidth() == 1 || format == FloatFormat.BFLOAT16;
    if (!small) {
      return bytes;
    }
    ByteBuffer wide = ByteBuffer.allocate(4 * elements.count()).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < elements.count(); i++) {
      if (format == FloatFormat.BFLOAT16) {
        wide.putInt((bytes[2 * i] & 0xff) << 16 | (bytes[2 * i + 1] & 0xff) << 24);
      } else {
        float value = (float) FloatBits.toDouble(format, bytes[i] & 0xff);
        wide.putInt(
            Float.isNaN(value)
                ? 0x7fc00000 | (bytes[i] & 0x80) << 24
                : Float.floatToIntBits(value));
      }
    }
    return wide.array();
  }
}
