package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.layout.codec.ArrayArrayCodec;
import io.arraymorph.layout.codec.ArrayBytesCodec;
import io.arraymorph.layout.codec.BytesBytesCodec;
import io.arraymorph.layout.codec.BytesCodec;
import io.arraymorph.layout.codec.CategorizeCodec;
import io.arraymorph.layout.codec.Codec;
import io.arraymorph.layout.codec.CodecChain;
import io.arraymorph.layout.codec.CodecConfigurationException;
import io.arraymorph.layout.codec.TransposeCodec;
import java.util.ArrayList;
import java.util.List;

/**
 * Order, filters and compressor of Zarr v2 as a chain of codecs.
 *
 * @param type the type of the elements; that of the object codec if the dtype is object
 * @param chain the codecs in the order of encoding
 */
record CodecsV2(DataType type, CodecChain chain) {

  /**
   * Reads filters and compressor.
   *
   * @param fortranRank the rank if chunks are stored in order F, else 0
   * @param filters a list or null
   * @param compressor an object or null
   */
  static CodecsV2 parse(
      StoredType stored,
      int fortranRank,
      JsonNode filters,
      JsonNode compressor,
      MetadataReader reader) {
    List<ObjectNode> steps = new ArrayList<>();
    if (!filters.isNull() && !filters.isArray()) {
      throw reader.invalid("'filters' are no list: " + MetadataReader.shown(filters));
    }
    filters.forEach(f -> steps.add(step(f, reader)));
    if (!compressor.isNull()) {
      steps.add(step(compressor, reader));
    }
    List<Codec> codecs = new ArrayList<>();
    if (fortranRank > 1) {
      codecs.add(TransposeCodec.reversing(fortranRank));
    }
    StoredType current = stored;
    DataType type = stored.type();
    boolean inBytes = false;
    for (ObjectNode step : steps) {
      String id = step.get("id").textValue();
      NumcodecsStep parsed =
          NumcodecsStep.parse(
              id, current, new MetadataReader(reader.where() + " codec '" + id + "'", step));
      Codec codec = parsed.codec();
      if (codec instanceof ArrayBytesCodec) {
        if (inBytes || (stored.layout().isPresent() && parsed.objects())) {
          throw reader.invalid("filter '" + codec.name() + "' does not fit the dtype");
        }
        inBytes = true;
        type = parsed.objects() ? parsed.output().type() : type;
      } else if (codec instanceof BytesBytesCodec && !inBytes) {
        codecs.add(elementBytes(current, reader));
        inBytes = true;
      } else if (codec instanceof CategorizeCodec && stored.layout().isEmpty() && !inBytes) {
        type = ((CategorizeCodec) codec).decoded();
      } else if (codec instanceof ArrayArrayCodec && inBytes) {
        throw CodecConfigurationException.unsupported(
            "filter '" + codec.name() + "' after one that makes bytes");
      }
      codecs.add(codec);
      current = parsed.output();
    }
    if (!inBytes) {
      codecs.add(elementBytes(current, reader));
    }
    return new CodecsV2(type, CodecChain.of(codecs));
  }

  private static Codec elementBytes(StoredType current, MetadataReader reader) {
    if (current.layout().isEmpty()) {
      throw reader.unsupported(
          ErrorCode.UNSUPPORTED_TYPE,
          "dtype '|O' without a filter that tells what the objects are");
    }
    return BytesCodec.of(current.layout().get());
  }

  private static ObjectNode step(JsonNode node, MetadataReader reader) {
    if (!node.isObject() || !node.path("id").isTextual()) {
      throw reader.invalid("codec " + MetadataReader.shown(node) + " has no id");
    }
    return (ObjectNode) node;
  }
}
