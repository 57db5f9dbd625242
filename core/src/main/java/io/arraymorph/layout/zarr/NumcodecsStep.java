package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.layout.codec.BloscCodec;
import io.arraymorph.layout.codec.ChecksumCodec;
import io.arraymorph.layout.codec.Codec;
import io.arraymorph.layout.codec.CodecConfigurationException;
import io.arraymorph.layout.codec.DeflateCodec;
import io.arraymorph.layout.codec.JenkinsCodec;
import io.arraymorph.layout.codec.Lz4Codec;
import io.arraymorph.layout.codec.RawLzmaCodec;
import io.arraymorph.layout.codec.ShuffleCodec;
import io.arraymorph.layout.codec.StreamCodec;
import io.arraymorph.layout.codec.ZstdCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A codec of the Python library numcodecs: filters and compressors of Zarr v2, and the codecs of
 * Zarr v3 arrays whose name starts with {@code numcodecs.}.
 *
 * @param codec what it does
 * @param output what the elements are on its encoded side (meaningless once in bytes)
 * @param objects true if it says what the objects of an object array are
 */
record NumcodecsStep(Codec codec, StoredType output, boolean objects) {

  /**
   * Reads one.
   *
   * @param id the name, as {@code zlib}
   * @param input what the elements are on its decoded side
   */
  static NumcodecsStep parse(String id, StoredType input, MetadataReader parameters) {
    return NumcodecsFilters.parse(id, input, parameters)
        .orElseGet(() -> new NumcodecsStep(bytesCodec(id, input, parameters), input, false));
  }

  private static Codec bytesCodec(String id, StoredType input, MetadataReader parameters) {
    switch (id) {
      case "zlib":
        return new DeflateCodec(DeflateCodec.Wrapper.ZLIB, parameters.intOr("level", 1, -1, 9));
      case "gzip":
        return new DeflateCodec(DeflateCodec.Wrapper.GZIP, parameters.intOr("level", 1, -1, 9));
      case "zstd":
        return new ZstdCodec(
            parameters.intOr("level", 0, -131072, 22), parameters.booleanOr("checksum", false));
      case "bz2":
        return new StreamCodec(StreamCodec.Format.BZ2);
      case "lzma":
        return lzma(parameters);
      case "shuffle":
        return new ShuffleCodec(parameters.intOr("elementsize", 4, 1, 1 << 20));
      case "lz4":
        return new Lz4Codec();
      case "blosc":
        return blosc(input, parameters);
      case "crc32":
        return checksum(id, ChecksumCodec.Algorithm.CRC32, "start", parameters);
      case "crc32c":
        return checksum(id, ChecksumCodec.Algorithm.CRC32C, "end", parameters);
      case "adler32":
        return checksum(id, ChecksumCodec.Algorithm.ADLER32, "start", parameters);
      case "jenkins_lookup3":
        if (parameters.optional("prefix").isPresent()) {
          throw CodecConfigurationException.unsupported("codec 'jenkins_lookup3' with a prefix");
        }
        return new JenkinsCodec(parameters.intOr("initval", 0, 0, Integer.MAX_VALUE));
      case "fletcher32":
        return checksum(id, ChecksumCodec.Algorithm.FLETCHER32, "end", parameters);
      default:
        throw CodecConfigurationException.unsupported("codec '" + id + "' is not known");
    }
  }

  /** The formats of Python's lzma module: 1 is .xz, 2 is .lzma, 3 is raw. */
  private static Codec lzma(MetadataReader parameters) {
    switch (parameters.intOr("format", 1, 0, 3)) {
      case 1:
        return new StreamCodec(StreamCodec.Format.XZ);
      case 2:
        return new StreamCodec(StreamCodec.Format.LZMA);
      default:
        return rawLzma(parameters);
    }
  }

  /** Filters as Python's lzma module names them: 3 is delta, 33 is LZMA2, which comes last. */
  private static Codec rawLzma(MetadataReader parameters) {
    JsonNode filters = parameters.required("filters");
    List<Integer> distances = new ArrayList<>();
    for (int i = 0; i < filters.size() && filters.size() <= 4; i++) {
      if (!filters.path(i).isObject()) { // an object has members, but none at a place
        break;
      }
      MetadataReader filter =
          new MetadataReader(parameters.where() + " filter", (ObjectNode) filters.get(i));
      int id = filter.intOr("id", -1, -1, Integer.MAX_VALUE);
      if (id == 33 && i == filters.size() - 1) {
        return new RawLzmaCodec(distances, dictionaryBytes(filter));
      }
      if (id != 3) {
        break;
      }
      distances.add(filter.intOr("dist", 1, 1, 256));
    }
    throw CodecConfigurationException.unsupported(
        "codec 'lzma' in its raw format with filters " + MetadataReader.shown(filters));
  }

  /** What each preset of liblzma stands for, unless the size is told. */
  private static long dictionaryBytes(MetadataReader filter) {
    long preset = filter.optional("preset").map(JsonNode::asLong).orElse(6L) & 31;
    int[] bits = {18, 20, 21, 22, 22, 23, 23, 24, 25, 26};
    int told = filter.intOr("dict_size", 0, 0, Integer.MAX_VALUE);
    return told > 0 ? Math.max(4096, told) : 1L << bits[(int) Math.min(9, preset)];
  }

  private static Codec checksum(
      String id, ChecksumCodec.Algorithm algorithm, String absent, MetadataReader parameters) {
    String location =
        parameters.optional("location").isEmpty() ? absent : parameters.requiredText("location");
    if (!location.equals("start") && !location.equals("end")) {
      throw parameters.invalid("'location' is '" + location + "', not start or end");
    }
    return new ChecksumCodec(id, algorithm, location.equals("start"));
  }

  private static Codec blosc(StoredType input, MetadataReader parameters) {
    int width = Math.max(1, input.type().byteWidth());
    Optional<JsonNode> named = parameters.optional("shuffle").filter(JsonNode::isTextual);
    BloscCodec.Shuffle shuffle;
    if (named.isPresent()) {
      throw parameters.invalid("'shuffle' is " + MetadataReader.shown(named.get()));
    }
    switch (parameters.intOr("shuffle", 1, -1, 2)) {
      case 0:
        shuffle = BloscCodec.Shuffle.NONE;
        break;
      case 1:
        shuffle = BloscCodec.Shuffle.BYTE;
        break;
      case 2:
        shuffle = BloscCodec.Shuffle.BIT;
        break;
      default: // -1 leaves the choice to numcodecs
        shuffle = width == 1 ? BloscCodec.Shuffle.BIT : BloscCodec.Shuffle.BYTE;
    }
    String cname =
        parameters.optional("cname").isEmpty() ? "lz4" : parameters.requiredText("cname");
    return new BloscCodec(
        CodecsV3.bloscCompressor(cname, parameters),
        parameters.intOr("clevel", 5, 0, 9),
        shuffle,
        parameters.intOr("typesize", width, 1, Integer.MAX_VALUE),
        parameters.intOr("blocksize", 0, 0, Integer.MAX_VALUE));
  }
}
