package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.arraymorph.array.DataType;
import io.arraymorph.layout.codec.BitFilterCodec;
import io.arraymorph.layout.codec.CategorizeCodec;
import io.arraymorph.layout.codec.Codec;
import io.arraymorph.layout.codec.CodecConfigurationException;
import io.arraymorph.layout.codec.DeltaCodec;
import io.arraymorph.layout.codec.ElementMapping;
import io.arraymorph.layout.codec.ElementwiseCodec;
import io.arraymorph.layout.codec.FixedScaleOffset;
import io.arraymorph.layout.codec.IdentityMapping;
import io.arraymorph.layout.codec.NumberCast;
import io.arraymorph.layout.codec.ObjectListCodec;
import io.arraymorph.layout.codec.VariableLengthCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The codecs of numcodecs that know elements: filters and object codecs. */
final class NumcodecsFilters {
  private NumcodecsFilters() {}

  /** Reads one, if {@code id} is one of them. */
  static Optional<NumcodecsStep> parse(String id, StoredType input, MetadataReader parameters) {
    switch (id) {
      case "vlen-utf8":
        return Optional.of(objects(new VariableLengthCodec(true), new DataType.VariableString()));
      case "vlen-bytes":
        return Optional.of(objects(new VariableLengthCodec(false), new DataType.VariableBytes()));
      case "json2":
        return Optional.of(texts(ObjectListCodec.Format.JSON));
      case "msgpack2":
        return Optional.of(texts(ObjectListCodec.Format.MESSAGE_PACK));
      case "categorize":
        return categorize(input, parameters);
      case "delta":
        StoredType dtype = type("dtype", input, parameters);
        StoredType difference = type("astype", dtype, parameters);
        return filter(new DeltaCodec(dtype.type(), difference.type()), difference);
      case "astype":
        StoredType decoded = type("decode_dtype", input, parameters);
        StoredType encoded = type("encode_dtype", decoded, parameters);
        return elementwise(
            id, decoded, encoded, NumberCast.numpy(id, decoded.type(), encoded.type()));
      case "fixedscaleoffset":
        return fixedScaleOffset(input, parameters);
      case "quantize":
        StoredType from = type("dtype", input, parameters);
        StoredType to = type("astype", from, parameters);
        return elementwise(id, from, to, NumberCast.numpy(id, from.type(), to.type()));
      case "bitround":
        return elementwise(id, input, input, new IdentityMapping(input.type().byteWidth()));
      case "packbits":
        return filter(new BitFilterCodec(), StoredType.parse(new TextNode("|u1"), parameters));
      case "pickle":
        throw CodecConfigurationException.unsupported(
            "codec 'pickle' holds Python objects, which are never executed");
      default:
        return Optional.empty();
    }
  }

  private static NumcodecsStep texts(ObjectListCodec.Format format) {
    return objects(new ObjectListCodec(format), new DataType.VariableString());
  }

  private static NumcodecsStep objects(Codec codec, DataType type) {
    return new NumcodecsStep(codec, new StoredType(type, Optional.empty()), true);
  }

  /** Texts of an object array, or of one length. */
  private static Optional<NumcodecsStep> categorize(StoredType input, MetadataReader parameters) {
    JsonNode list = parameters.required("labels");
    List<String> labels = new ArrayList<>();
    list.forEach(label -> labels.add(label.textValue()));
    if (!list.isArray() || labels.contains(null)) {
      throw parameters.invalid("'labels' are no texts: " + MetadataReader.shown(list));
    }
    StoredType encoded = StoredType.parse(new TextNode("|u1"), parameters);
    encoded = type("astype", encoded, parameters);
    DataType decoded =
        input.type() instanceof DataType.FixedLengthUtf32
            ? input.type()
            : new DataType.VariableString();
    if (!(encoded.type() instanceof DataType.Int)) {
      throw parameters.invalid("'astype' is no integer");
    }
    return filter(new CategorizeCodec(labels, decoded, (DataType.Int) encoded.type()), encoded);
  }

  private static Optional<NumcodecsStep> filter(Codec codec, StoredType output) {
    return Optional.of(new NumcodecsStep(codec, output, false));
  }

  private static Optional<NumcodecsStep> elementwise(
      String id, StoredType decoded, StoredType encoded, ElementMapping mapping) {
    return filter(new ElementwiseCodec(id, decoded.type(), encoded.type(), mapping), encoded);
  }

  /** A member that is a dtype, or what is there if it is absent. */
  private static StoredType type(String name, StoredType absent, MetadataReader parameters) {
    Optional<JsonNode> node = parameters.optional(name);
    if (node.isEmpty()) {
      return absent;
    }
    StoredType type = StoredType.parse(node.get(), parameters);
    if (type.type() instanceof DataType.Struct || type.layout().isEmpty()) {
      throw parameters.invalid("'" + name + "' is no number: " + MetadataReader.shown(node.get()));
    }
    return type;
  }

  private static Optional<NumcodecsStep> fixedScaleOffset(
      StoredType input, MetadataReader parameters) {
    StoredType decoded = type("dtype", input, parameters);
    StoredType encoded = type("astype", decoded, parameters);
    return elementwise(
        "fixedscaleoffset",
        decoded,
        encoded,
        new FixedScaleOffset(
            decoded.type(),
            encoded.type(),
            number("scale", parameters),
            number("offset", parameters)));
  }

  private static double number(String name, MetadataReader parameters) {
    JsonNode value = parameters.required(name);
    if (!value.isNumber()) {
      throw parameters.invalid("'" + name + "' is no number: " + MetadataReader.shown(value));
    }
    return value.doubleValue();
  }
}
