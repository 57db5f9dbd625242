package io.arraymorph.layout.codec;

import io.airlift.compress.bzip2.BZip2HadoopStreams;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.tukaani.xz.LZMAInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * Compressors that are only read, through a decoding stream (numcodecs {@code bz2} and {@code
 * lzma}).
 *
 * @param format what the stream is
 */
public record StreamCodec(Format format) implements BytesBytesCodec {
  private static final int MAX_DICTIONARY_KIB = 256 << 10;

  /** The formats of compressed streams. */
  public enum Format {
    BZ2,
    /** LZMA2 in an .xz container, with its checks. */
    XZ,
    /** The older .lzma container. */
    LZMA
  }

  @Override
  public String name() {
    return format == Format.BZ2 ? "bz2" : "lzma";
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
    try (InputStream stream = open(source)) {
      output.readAll(stream);
    } catch (IOException | RuntimeException e) {
      if (e instanceof CodecException) {
        throw (CodecException) e;
      }
      throw new CodecException(name() + ": " + e.getMessage(), e);
    }
    if (source.available() > 0) {
      throw new CodecException(source.available() + " bytes follow the " + name() + " stream");
    }
    return output.result("the " + name() + " content");
  }

  private InputStream open(InputStream source) throws IOException {
    switch (format) {
      case BZ2:
        return new BZip2HadoopStreams().createInputStream(source);
      case XZ:
        return new XZInputStream(source, MAX_DICTIONARY_KIB);
      default:
        return new LZMAInputStream(source, MAX_DICTIONARY_KIB);
    }
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    throw CodecConfigurationException.unsupported("codec '" + name() + "' can only be read");
  }
}
