package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.codec.ArrayBytesCodec;
import io.arraymorph.layout.codec.BloscCodec;
import io.arraymorph.layout.codec.BytesBytesCodec;
import io.arraymorph.layout.codec.ChecksumCodec;
import io.arraymorph.layout.codec.CodecChain;
import io.arraymorph.layout.codec.DeflateCodec;
import io.arraymorph.layout.codec.ShardingCodec;
import io.arraymorph.layout.codec.ZstdCodec;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What compresses the chunks that are written: {@code none}, {@code zstd}, {@code zstd:5}, {@code
 * gzip}, {@code gzip:9}, {@code blosc:lz4:shuffle}, {@code blosc:zstd:noshuffle:7}.
 *
 * <p>Immutable; equal texts of one meaning are equal values.
 */
public final class Compression {
  /** No compression: any run of elements can be read alone. */
  public static final Compression NONE = new Compression(Optional.empty());

  /** Zstandard at its default level. */
  public static final Compression ZSTD = new Compression(Optional.of(new ZstdCodec(0, false)));

  private final Optional<BytesBytesCodec> codec;

  private Compression(Optional<BytesBytesCodec> codec) {
    this.codec = codec;
  }

  /**
   * Reads what a user wrote.
   *
   * @throws ArrayMorphException INVALID_OPTION with the texts that are possible
   */
  public static Compression parse(String text) {
    String[] parts = text.trim().toLowerCase(Locale.ROOT).split(":", -1);
    try {
      switch (parts[0]) {
        case "none":
          return require(parts.length == 1, text, NONE);
        case "zstd":
          return require(parts.length <= 2, text, of(new ZstdCodec(level(parts, 1, 0), false)));
        case "gzip":
          return require(
              parts.length <= 2 && level(parts, 1, 5) >= 0,
              text,
              of(new DeflateCodec(DeflateCodec.Wrapper.GZIP, level(parts, 1, 5))));
        case "blosc":
          return require(parts.length <= 4, text, of(blosc(parts)));
        default:
          throw unknown(text, null);
      }
    } catch (io.arraymorph.layout.codec.CodecConfigurationException | IllegalArgumentException e) {
      throw unknown(text, e);
    }
  }

  private static Compression of(BytesBytesCodec codec) {
    return new Compression(Optional.of(codec));
  }

  private static Compression require(boolean ok, String text, Compression value) {
    if (!ok) {
      throw unknown(text, null);
    }
    return value;
  }

  private static int level(String[] parts, int at, int absent) {
    return parts.length > at ? Integer.parseInt(parts[at]) : absent;
  }

  private static BloscCodec blosc(String[] parts) {
    BloscCodec.Compressor compressor =
        BloscCodec.Compressor.valueOf(
            (parts.length > 1 ? parts[1] : "lz4").toUpperCase(Locale.ROOT));
    String shuffle = parts.length > 2 ? parts[2] : "shuffle";
    boolean writable =
        compressor != BloscCodec.Compressor.BLOSCLZ && compressor != BloscCodec.Compressor.SNAPPY;
    if (!writable || !(shuffle.equals("shuffle") || shuffle.equals("noshuffle"))) {
      throw new IllegalArgumentException("blosc " + compressor + " " + shuffle);
    }
    return new BloscCodec(
        compressor,
        level(parts, 3, 5),
        shuffle.equals("shuffle") ? BloscCodec.Shuffle.BYTE : BloscCodec.Shuffle.NONE,
        1,
        0);
  }

  private static ArrayMorphException unknown(String text, Exception cause) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        "compression '" + text + "' is not known",
        "Use none, zstd, zstd:<level>, gzip, gzip:<level> or"
            + " blosc:<lz4|lz4hc|zlib|zstd>:<shuffle|noshuffle>:<level>",
        cause);
  }

  /** True unless chunks are stored as they are. */
  public boolean isPresent() {
    return codec.isPresent();
  }

  /** The member of {@code codecs}, if there is one, for elements of {@code typeSize} bytes. */
  Optional<ObjectNode> toJson(int typeSize) {
    return codec.map(c -> codecJson(c, typeSize));
  }

  private static ObjectNode codecJson(BytesBytesCodec codec, int typeSize) {
    ObjectNode node = MetadataJson.object().put("name", codec.name());
    ObjectNode parameters = node.putObject("configuration");
    if (codec instanceof ZstdCodec) {
      parameters.put("level", ((ZstdCodec) codec).level()).put("checksum", false);
    } else if (codec instanceof DeflateCodec) {
      parameters.put("level", ((DeflateCodec) codec).level());
    } else {
      BloscCodec blosc = (BloscCodec) codec;
      parameters
          .put("cname", blosc.compressor().name().toLowerCase(Locale.ROOT))
          .put("clevel", blosc.level())
          .put("shuffle", shuffleName(blosc))
          .put("typesize", Math.max(1, typeSize))
          .put("blocksize", 0);
    }
    return node;
  }

  private static String shuffleName(BloscCodec blosc) {
    switch (blosc.shuffle()) {
      case BYTE:
        return "shuffle";
      case BIT:
        return "bitshuffle";
      default:
        return "noshuffle";
    }
  }

  /** What compresses chunks of these codecs; of the inner chunks if they are sharded. */
  static String textOf(CodecChain codecs) {
    ArrayBytesCodec middle = codecs.arrayBytes();
    String outer =
        codecs.bytesBytes().stream()
            .filter(c -> !(c instanceof ChecksumCodec))
            .map(Compression::textOf)
            .collect(Collectors.joining("+"));
    if (middle instanceof ShardingCodec) {
      String inner = textOf(((ShardingCodec) middle).inner());
      return outer.isEmpty()
          ? inner
          : List.of(inner, outer).stream()
              .filter(t -> !t.equals("none"))
              .collect(Collectors.joining("+"));
    }
    return outer.isEmpty() ? "none" : outer;
  }

  private static String textOf(BytesBytesCodec codec) {
    if (codec instanceof ZstdCodec) {
      int level = ((ZstdCodec) codec).level();
      return level == 0 ? "zstd" : "zstd:" + level;
    }
    if (codec instanceof DeflateCodec) {
      return codec.name() + ":" + ((DeflateCodec) codec).level();
    }
    if (codec instanceof BloscCodec) {
      BloscCodec blosc = (BloscCodec) codec;
      return "blosc:"
          + blosc.compressor().name().toLowerCase(Locale.ROOT)
          + ":"
          + shuffleName(blosc);
    }
    return codec.name();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Compression && codec.equals(((Compression) other).codec);
  }

  @Override
  public int hashCode() {
    return codec.hashCode();
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return codec.map(Compression::textOf).orElse("none");
  }
}
