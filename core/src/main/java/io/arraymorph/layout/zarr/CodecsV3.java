package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.ArrayArrayCodec;
import io.arraymorph.layout.codec.BloscCodec;
import io.arraymorph.layout.codec.BytesCodec;
import io.arraymorph.layout.codec.ChecksumCodec;
import io.arraymorph.layout.codec.Codec;
import io.arraymorph.layout.codec.CodecChain;
import io.arraymorph.layout.codec.CodecConfigurationException;
import io.arraymorph.layout.codec.DeflateCodec;
import io.arraymorph.layout.codec.ShardingCodec;
import io.arraymorph.layout.codec.TransposeCodec;
import io.arraymorph.layout.codec.ZstdCodec;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Codecs in Zarr v3 metadata: those of the specification and of its registry. */
final class CodecsV3 {
  private static final DataType UINT64 = new DataType.Int(64, false);
  private static final int MAX_CODECS = 64;

  private CodecsV3() {}

  /**
   * Reads a list of codecs.
   *
   * @param type the type of the elements that the first codec encodes
   * @param rank the rank of the chunks that the first codec encodes
   */
  static CodecChain parse(JsonNode list, DataType type, int rank, String where) {
    if (!list.isArray() || list.size() > MAX_CODECS) {
      throw MetadataJson.invalid(where, "codecs are no list: " + MetadataReader.shown(list));
    }
    List<Codec> codecs = new ArrayList<>();
    DataType current = type;
    for (JsonNode node : list) {
      Extension extension = Extension.of(node, "codec", where);
      Codec codec = parse(extension, current, rank);
      codecs.add(codec);
      if (codec instanceof ArrayArrayCodec) {
        current = ((ArrayArrayCodec) codec).encodedType(current);
      }
    }
    return CodecChain.of(codecs);
  }

  private static Codec parse(Extension codec, DataType type, int rank) {
    switch (codec.name()) {
      case "bytes":
      case "endian":
        codec.refuseUnknown("endian");
        return BytesCodec.of(endian(codec));
      case "transpose":
        codec.refuseUnknown("order");
        return transpose(codec, rank);
      case "gzip":
        codec.refuseUnknown("level");
        return new DeflateCodec(
            DeflateCodec.Wrapper.GZIP, codec.configuration().intOr("level", 5, 0, 9));
      case "zstd":
        codec.refuseUnknown("level", "checksum");
        return new ZstdCodec(
            codec.configuration().intOr("level", 0, -131072, 22),
            codec.configuration().booleanOr("checksum", false));
      case "crc32c":
        codec.refuseUnknown();
        return ChecksumCodec.CRC32C;
      case "blosc":
        codec.refuseUnknown("cname", "clevel", "shuffle", "typesize", "blocksize");
        return blosc(codec, type);
      case "sharding_indexed":
        codec.refuseUnknown("chunk_shape", "codecs", "index_codecs", "index_location");
        return sharding(codec, type, rank);
      default:
        if (codec.name().startsWith("numcodecs.")) {
          StoredType stored = new StoredType(type, Optional.empty());
          return NumcodecsStep.parse(
                  codec.name().substring("numcodecs.".length()), stored, codec.configuration())
              .codec();
        }
        return ValueCodecsV3.parse(codec, type)
            .orElseThrow(
                () ->
                    CodecConfigurationException.unsupported(
                        "codec '" + codec.name() + "' is not known"));
    }
  }

  private static Optional<ByteOrder> endian(Extension codec) {
    if (codec.configuration().optional("endian").isEmpty()) {
      return Optional.empty();
    }
    String endian = codec.configuration().requiredText("endian");
    switch (endian) {
      case "little":
        return Optional.of(ByteOrder.LITTLE_ENDIAN);
      case "big":
        return Optional.of(ByteOrder.BIG_ENDIAN);
      default:
        throw codec.configuration().invalid("'endian' is '" + endian + "', not little or big");
    }
  }

  private static Codec transpose(Extension codec, int rank) {
    JsonNode order = codec.configuration().required("order");
    if (order.isTextual() && order.textValue().equals("C")) {
      return new TransposeCodec(java.util.stream.IntStream.range(0, rank).toArray());
    }
    if (order.isTextual() && order.textValue().equals("F")) {
      return TransposeCodec.reversing(rank);
    }
    if (!order.isArray() || order.size() != rank) {
      throw codec
          .configuration()
          .invalid("'order' " + MetadataReader.shown(order) + " does not fit rank " + rank);
    }
    int[] dimensions = new int[rank];
    for (int d = 0; d < rank; d++) {
      long dimension = codec.configuration().toLong("order", order.get(d));
      if (dimension < 0 || dimension >= rank) {
        throw codec.configuration().invalid("'order' has the dimension " + dimension);
      }
      dimensions[d] = (int) dimension;
    }
    return new TransposeCodec(dimensions);
  }

  private static Codec blosc(Extension codec, DataType type) {
    MetadataReader parameters = codec.configuration();
    String shuffle =
        parameters.optional("shuffle").isEmpty() ? "noshuffle" : parameters.requiredText("shuffle");
    BloscCodec.Shuffle mode;
    switch (shuffle) {
      case "noshuffle":
        mode = BloscCodec.Shuffle.NONE;
        break;
      case "shuffle":
        mode = BloscCodec.Shuffle.BYTE;
        break;
      case "bitshuffle":
        mode = BloscCodec.Shuffle.BIT;
        break;
      default:
        throw parameters.invalid("'shuffle' is '" + shuffle + "'");
    }
    return new BloscCodec(
        bloscCompressor(parameters.requiredText("cname"), parameters),
        parameters.intOr("clevel", 5, 0, 9),
        mode,
        parameters.intOr("typesize", Math.max(1, type.byteWidth()), 1, Integer.MAX_VALUE),
        parameters.intOr("blocksize", 0, 0, Integer.MAX_VALUE));
  }

  /** The compressor that Blosc calls {@code cname}. */
  static BloscCodec.Compressor bloscCompressor(String cname, MetadataReader parameters) {
    for (BloscCodec.Compressor compressor : BloscCodec.Compressor.values()) {
      if (compressor.name().toLowerCase(Locale.ROOT).equals(cname)) {
        return compressor;
      }
    }
    throw parameters.invalid("'cname' is '" + cname + "'");
  }

  private static Codec sharding(Extension codec, DataType type, int rank) {
    MetadataReader parameters = codec.configuration();
    Shape inner = parameters.requiredChunkShape("chunk_shape", rank);
    String location =
        parameters.optional("index_location").isEmpty()
            ? "end"
            : parameters.requiredText("index_location");
    if (!location.equals("end") && !location.equals("start")) {
      throw parameters.invalid("'index_location' is '" + location + "', not start or end");
    }
    return new ShardingCodec(
        inner,
        parse(parameters.required("codecs"), type, rank, parameters.where()),
        parse(parameters.required("index_codecs"), UINT64, rank + 1, parameters.where()),
        location.equals("end"));
  }
}
