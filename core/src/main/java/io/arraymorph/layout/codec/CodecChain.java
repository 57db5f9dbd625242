package io.arraymorph.layout.codec;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The codecs of an array in the order of encoding: array to array, one array to bytes, bytes to
 * bytes.
 *
 * @param arrayArray applied first when encoding
 * @param arrayBytes turns elements into bytes
 * @param bytesBytes applied last when encoding
 */
public record CodecChain(
    List<ArrayArrayCodec> arrayArray,
    ArrayBytesCodec arrayBytes,
    List<BytesBytesCodec> bytesBytes) {

  /** Copies the lists. */
  public CodecChain {
    arrayArray = List.copyOf(arrayArray);
    bytesBytes = List.copyOf(bytesBytes);
  }

  /**
   * Sorts a list of codecs by their kind.
   *
   * @throws CodecConfigurationException METADATA_INVALID if they are not in the order array to
   *     array, exactly one array to bytes, bytes to bytes
   */
  public static CodecChain of(List<? extends Codec> codecs) {
    List<ArrayArrayCodec> first = new ArrayList<>();
    List<BytesBytesCodec> last = new ArrayList<>();
    ArrayBytesCodec middle = null;
    for (Codec codec : codecs) {
      if (codec instanceof ArrayArrayCodec && middle == null) {
        first.add((ArrayArrayCodec) codec);
      } else if (codec instanceof ArrayBytesCodec && middle == null) {
        middle = (ArrayBytesCodec) codec;
      } else if (codec instanceof BytesBytesCodec && middle != null) {
        last.add((BytesBytesCodec) codec);
      } else {
        throw CodecConfigurationException.invalid(
            "codec '" + codec.name() + "' is out of order in " + names(codecs));
      }
    }
    if (middle == null) {
      throw CodecConfigurationException.invalid(
          "codecs " + names(codecs) + " lack one that turns elements into bytes");
    }
    return new CodecChain(first, middle, last);
  }

  private static List<String> names(List<? extends Codec> codecs) {
    return codecs.stream().map(Codec::name).toList();
  }

  /** The names in the order of encoding. */
  public List<String> names() {
    return Stream.of(arrayArray.stream(), Stream.of(arrayBytes), bytesBytes.stream())
        .flatMap(s -> s)
        .map(Codec::name)
        .toList();
  }

  /**
   * These codecs on chunks of one representation.
   *
   * @throws CodecConfigurationException if they cannot be used there
   */
  public CodecPipeline bind(ChunkRepresentation chunk) {
    return BoundCodecChain.of(this, chunk);
  }

  /** Lets two codec lists be told apart in messages. */
  @Override
  public String toString() {
    return names().toString();
  }
}
