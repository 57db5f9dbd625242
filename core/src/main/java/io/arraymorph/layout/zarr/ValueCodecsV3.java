package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.layout.codec.Codec;
import io.arraymorph.layout.codec.ElementwiseCodec;
import io.arraymorph.layout.codec.IdentityMapping;
import io.arraymorph.layout.codec.NumberCast;
import io.arraymorph.layout.codec.PackBitsCodec;
import io.arraymorph.layout.codec.ScaleOffset;
import io.arraymorph.layout.codec.VariableLengthCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The codecs of the Zarr v3 extension registry that change values or pack them. */
final class ValueCodecsV3 {
  private ValueCodecsV3() {}

  /** Reads one, if its name is one of them. */
  static Optional<Codec> parse(Extension codec, DataType type) {
    switch (codec.name()) {
      case "vlen-utf8":
        codec.refuseUnknown();
        return Optional.of(new VariableLengthCodec(true));
      case "vlen-bytes":
        codec.refuseUnknown();
        return Optional.of(new VariableLengthCodec(false));
      case "packbits":
        return Optional.of(packBits(codec));
      case "bitround":
        codec.refuseUnknown("keepbits");
        return Optional.of(
            new ElementwiseCodec("bitround", type, type, new IdentityMapping(type.byteWidth())));
      case "scale_offset":
        codec.refuseUnknown("offset", "scale");
        return Optional.of(
            new ElementwiseCodec(
                "scale_offset",
                type,
                type,
                new ScaleOffset(
                    type, scalar(codec, "offset", 0, type), scalar(codec, "scale", 1, type))));
      case "cast_value":
        return Optional.of(castValue(codec, type));
      default:
        return Optional.empty();
    }
  }

  private static Codec packBits(Extension codec) {
    codec.refuseUnknown("padding_encoding", "first_bit", "last_bit");
    MetadataReader parameters = codec.configuration();
    if (parameters.optional("first_bit").isPresent()
        || parameters.optional("last_bit").isPresent()) {
      throw io.arraymorph.layout.codec.CodecConfigurationException.unsupported(
          "codec 'packbits' with first_bit or last_bit");
    }
    return new PackBitsCodec(
        choice(
            parameters,
            "padding_encoding",
            PackBitsCodec.Padding.NONE,
            PackBitsCodec.Padding.values()));
  }

  /**
   * A member that is the name of a constant in lower case, {@code -} or {@code _} between words.
   */
  private static <E extends Enum<E>> E choice(
      MetadataReader parameters, String name, E absent, E[] constants) {
    if (parameters.optional(name).isEmpty()) {
      return absent;
    }
    String text = parameters.requiredText(name);
    for (E constant : constants) {
      if (constant.name().equals(text.replace('-', '_').toUpperCase(Locale.ROOT))
          && text.equals(text.toLowerCase(Locale.ROOT))) {
        return constant;
      }
    }
    throw parameters.invalid("'" + name + "' is '" + text + "'");
  }

  private static byte[] scalar(Extension codec, String name, int absent, DataType type) {
    JsonNode value = codec.configuration().optional(name).orElse(new IntNode(absent));
    return bytes(value, type, codec.configuration());
  }

  private static byte[] bytes(JsonNode value, DataType type, MetadataReader reader) {
    if (!type.isFixedWidth()) {
      throw reader.invalid("data type '" + type.zarrName() + "' is no number");
    }
    return ((FixedWidthElements) FillValue.parse(value, type, reader)).bytes();
  }

  private static Codec castValue(Extension codec, DataType type) {
    codec.refuseUnknown("data_type", "rounding", "out_of_range", "scalar_map");
    MetadataReader parameters = codec.configuration();
    DataType encoded = DataTypesV3.parse(parameters.required("data_type"), parameters.where());
    List<NumberCast.Replacement> decodeMap = List.of();
    List<NumberCast.Replacement> encodeMap = List.of();
    if (parameters.optional("scalar_map").isPresent()) {
      MetadataReader maps =
          new MetadataReader(
              parameters.where() + " scalar_map", parameters.objectOrEmpty("scalar_map"));
      encodeMap = replacements(maps, "encode", type, encoded);
      decodeMap = replacements(maps, "decode", encoded, type);
    }
    return new ElementwiseCodec(
        "cast_value",
        type,
        encoded,
        new NumberCast(
            "cast_value",
            type,
            encoded,
            choice(
                parameters,
                "rounding",
                NumberCast.Rounding.NEAREST_EVEN,
                NumberCast.Rounding.values()),
            choice(parameters, "out_of_range", NumberCast.Range.ERROR, NumberCast.Range.values()),
            decodeMap,
            encodeMap));
  }

  private static List<NumberCast.Replacement> replacements(
      MetadataReader maps, String name, DataType from, DataType to) {
    List<NumberCast.Replacement> pairs = new ArrayList<>();
    for (JsonNode pair : maps.optional(name).orElseGet(() -> MetadataJson.object().arrayNode())) {
      if (!pair.isArray() || pair.size() != 2) {
        throw maps.invalid("'" + name + "' has " + MetadataReader.shown(pair) + ", no pair");
      }
      pairs.add(
          new NumberCast.Replacement(bytes(pair.get(0), from, maps), bytes(pair.get(1), to, maps)));
    }
    return pairs;
  }
}
