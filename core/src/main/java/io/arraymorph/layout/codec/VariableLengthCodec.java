package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.VariableWidthElements;
import java.util.Arrays;

/**
 * Text or bytes of any length: the number of elements, then each with its length in front, all
 * lengths in four bytes (numcodecs and Zarr v3 codecs {@code vlen-utf8} and {@code vlen-bytes}).
 *
 * @param text true for text, which must be valid UTF-8
 */
public record VariableLengthCodec(boolean text) implements ArrayBytesCodec {

  @Override
  public String name() {
    return text ? "vlen-utf8" : "vlen-bytes";
  }

  /** The type of the elements. */
  public DataType type() {
    return text ? new DataType.VariableString() : new DataType.VariableBytes();
  }

  @Override
  public ArrayBytesCodec.Bound bind(ChunkRepresentation decoded) {
    if (!decoded.type().equals(type())) {
      throw CodecConfigurationException.invalid(
          "codec '" + name() + "' cannot store data type '" + decoded.type().zarrName() + "'");
    }
    decoded.boundedCount(8);
    return new Bound(decoded, text);
  }

  private record Bound(ChunkRepresentation chunk, boolean text) implements ArrayBytesCodec.Bound {

    @Override
    public SizeRange encodedSize() {
      return new SizeRange(
          4 + 4 * chunk.elementCount(),
          Math.max(4 + 4 * chunk.elementCount(), CodecLimits.MAX_VARIABLE_CHUNK_BYTES));
    }

    @Override
    public Addressing addressing() {
      return Addressing.WHOLE;
    }

    @Override
    public Elements decode(ByteSpan encoded) {
      int count = (int) chunk.elementCount();
      int told = encoded.intAt(0);
      if (told != count) {
        throw new CodecException(
            "the chunk holds " + Integer.toUnsignedString(told) + " values, expected " + count);
      }
      if (encoded.length() < 4 + 4L * count) {
        throw new CodecException(
            encoded.length() + " bytes are too few for " + count + " values with their lengths");
      }
      int[] offsets = new int[count + 1];
      byte[] bytes = new byte[encoded.length() - 4 - 4 * count];
      int at = 4;
      for (int i = 0; i < count; i++) {
        int length = encoded.intAt(at);
        at += 4;
        if (length < 0 || length > encoded.length() - at) {
          throw new CodecException(
              "value "
                  + i
                  + " has "
                  + Integer.toUnsignedString(length)
                  + " bytes, the chunk ends after "
                  + (encoded.length() - at));
        }
        int from = encoded.offset() + at;
        if (length > bytes.length - offsets[i]) {
          throw new CodecException("the chunk is cut after value " + i);
        }
        if (text && !Utf8.isValid(encoded.array(), from, from + length)) {
          throw new CodecException("value " + i + " is not UTF-8");
        }
        System.arraycopy(encoded.array(), from, bytes, offsets[i], length);
        offsets[i + 1] = offsets[i] + length;
        at += length;
      }
      if (at != encoded.length()) {
        throw new CodecException((encoded.length() - at) + " bytes follow the last value");
      }
      return new VariableWidthElements(chunk.type(), chunk.shape(), offsets, bytes);
    }

    @Override
    public ByteSpan encode(Elements elements) {
      VariableWidthElements values = (VariableWidthElements) elements;
      int[] offsets = values.offsets();
      int count = values.count();
      byte[] target =
          new byte[Math.toIntExact(4 + 4L * count + offsets[count] - (long) offsets[0])];
      LittleEndian.INT.set(target, 0, count);
      int at = 4;
      for (int i = 0; i < count; i++) {
        int length = offsets[i + 1] - offsets[i];
        LittleEndian.INT.set(target, at, length);
        System.arraycopy(values.bytes(), offsets[i], target, at + 4, length);
        at += 4 + length;
      }
      return ByteSpan.of(Arrays.copyOf(target, at));
    }
  }
}
