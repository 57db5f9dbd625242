package io.arraymorph.layout.codec;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.tukaani.xz.DeltaInputStream;
import org.tukaani.xz.LZMA2InputStream;

/**
 * An LZMA2 stream without a container, behind delta filters (numcodecs {@code lzma}, format 3). It
 * is only read.
 *
 * @param distances of the delta filters, 1 to 256, in the order of encoding
 * @param dictionaryBytes the dictionary that the writer used
 */
public record RawLzmaCodec(List<Integer> distances, long dictionaryBytes)
    implements BytesBytesCodec {

  /** Copies the list. */
  public RawLzmaCodec {
    distances = List.copyOf(distances);
  }

  @Override
  public String name() {
    return "lzma";
  }

  @Override
  public SizeRange encodedSize(SizeRange decoded) {
    return decoded.compressed();
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded) {
    ByteArrayInputStream source =
        new ByteArrayInputStream(encoded.array(), encoded.offset(), encoded.length());
    BoundedOutput output = new BoundedOutput(decoded, encoded.length());
    try (InputStream stream = open(source, decoded)) {
      output.readAll(stream);
      if (stream.read() >= 0) {
        throw new CodecException("lzma: more than the expected " + decoded.max() + " bytes");
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new CodecException("lzma: " + e.getMessage(), e);
    }
    if (source.available() > 0) {
      throw new CodecException(source.available() + " bytes follow the lzma stream");
    }
    return output.result("the lzma content");
  }

  /** Nothing refers further back than to the first byte, so no dictionary need be larger. */
  private InputStream open(InputStream source, SizeRange decoded) {
    long most = Math.max(LZMA2InputStream.DICT_SIZE_MIN, decoded.max());
    InputStream stream = new LZMA2InputStream(source, (int) Math.min(dictionaryBytes, most));
    for (int i = distances.size() - 1; i >= 0; i--) {
      stream = new DeltaInputStream(stream, distances.get(i));
    }
    return stream;
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    throw CodecConfigurationException.unsupported(
        "codec 'lzma' in its raw format can only be read");
  }
}
