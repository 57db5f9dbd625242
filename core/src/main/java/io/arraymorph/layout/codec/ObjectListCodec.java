package io.arraymorph.layout.codec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Texts as one list of nested lists, followed in it by a dtype and the shape, in JSON or
 * MessagePack (numcodecs {@code json2} and {@code msgpack2}). It is only read; other objects than
 * texts are an error.
 *
 * @param format how the list is written
 */
public record ObjectListCodec(Format format) implements ArrayBytesCodec {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** How the list is written. */
  public enum Format {
    JSON("json2"),
    MESSAGE_PACK("msgpack2");

    private final String codec;

    Format(String codec) {
      this.codec = codec;
    }
  }

  @Override
  public String name() {
    return format.codec;
  }

  /** The type of the elements. */
  public DataType type() {
    return new DataType.VariableString();
  }

  @Override
  public ArrayBytesCodec.Bound bind(ChunkRepresentation decoded) {
    if (!decoded.type().equals(type())) {
      throw CodecConfigurationException.invalid(
          "codec '" + name() + "' cannot store data type '" + decoded.type().zarrName() + "'");
    }
    decoded.boundedCount(8);
    return new Bound(decoded, this);
  }

  private record Bound(ChunkRepresentation chunk, ObjectListCodec codec)
      implements ArrayBytesCodec.Bound {

    @Override
    public SizeRange encodedSize() {
      long least = chunk.elementCount();
      return new SizeRange(least, Math.max(least, CodecLimits.MAX_VARIABLE_CHUNK_BYTES));
    }

    @Override
    public Addressing addressing() {
      return Addressing.WHOLE;
    }

    @Override
    public Elements decode(ByteSpan encoded) {
      JsonNode list = codec.parse(encoded);
      int members = list.size();
      if (!list.isArray() || members < 2) {
        throw new CodecException(codec.name() + ": the chunk is no list with dtype and shape");
      }
      Shape shape = chunk.shape();
      JsonNode told = list.get(members - 1);
      boolean same = told.isArray() && told.size() == shape.rank();
      for (int d = 0; same && d < shape.rank(); d++) {
        same = told.get(d).isIntegralNumber() && told.get(d).longValue() == shape.length(d);
      }
      if (!same) {
        throw new CodecException(
            codec.name() + ": the chunk is of shape " + told + ", not " + shape);
      }
      List<byte[]> texts = new ArrayList<>();
      int first = shape.rank() == 0 ? 1 : (int) shape.length(0);
      if (members != first + 2) {
        throw new CodecException(codec.name() + ": the chunk has " + (members - 2) + " items");
      }
      for (int i = 0; i < first; i++) {
        collect(list.get(i), 1, texts);
      }
      return joined(texts);
    }

    private void collect(JsonNode item, int depth, List<byte[]> texts) {
      if (depth >= chunk.shape().rank()) {
        if (!item.isTextual()) {
          throw new CodecException(codec.name() + ": item " + texts.size() + " is no text");
        }
        texts.add(item.textValue().getBytes(StandardCharsets.UTF_8));
        return;
      }
      if (!item.isArray() || item.size() != chunk.shape().length(depth)) {
        throw new CodecException(codec.name() + ": a list does not fit shape " + chunk.shape());
      }
      item.forEach(inner -> collect(inner, depth + 1, texts));
    }

    private Elements joined(List<byte[]> texts) {
      int[] offsets = new int[texts.size() + 1];
      for (int i = 0; i < texts.size(); i++) {
        offsets[i + 1] = Math.addExact(offsets[i], texts.get(i).length);
      }
      byte[] bytes = new byte[offsets[texts.size()]];
      for (int i = 0; i < texts.size(); i++) {
        System.arraycopy(texts.get(i), 0, bytes, offsets[i], texts.get(i).length);
      }
      return new VariableWidthElements(chunk.type(), chunk.shape(), offsets, bytes);
    }

    @Override
    public ByteSpan encode(Elements chunk) {
      throw CodecConfigurationException.unsupported(
          "codec '" + codec.name() + "' can only be read");
    }
  }

  private JsonNode parse(ByteSpan encoded) {
    if (format == Format.MESSAGE_PACK) {
      return MessagePack.parse(encoded);
    }
    try {
      return MAPPER.readTree(encoded.array(), encoded.offset(), encoded.length());
    } catch (IOException e) {
      throw new CodecException(name() + ": the chunk is no JSON", e);
    }
  }
}
