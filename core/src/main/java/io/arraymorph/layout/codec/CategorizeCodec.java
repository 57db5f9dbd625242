package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.VariableWidthElements;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Texts as numbers of labels, from 1 on; any other number is the empty text (numcodecs {@code
 * categorize}). It is only read.
 *
 * @param labels by number, the first is 1
 * @param decoded {@link DataType.VariableString} or {@link DataType.FixedLengthUtf32}
 * @param encoded an integer
 */
public record CategorizeCodec(List<String> labels, DataType decoded, DataType.Int encoded)
    implements ArrayArrayCodec {
  private static final Charset UTF_32 = Charset.forName("UTF-32LE");

  /** Copies the list. */
  public CategorizeCodec {
    labels = List.copyOf(labels);
  }

  @Override
  public String name() {
    return "categorize";
  }

  @Override
  public DataType encodedType(DataType type) {
    return encoded;
  }

  @Override
  public ArrayArrayCodec.Bound bind(ChunkRepresentation chunk) {
    if (!chunk.type().equals(decoded)) {
      throw CodecConfigurationException.invalid(
          "codec 'categorize' is for '" + decoded.zarrName() + "', not " + chunk.type().zarrName());
    }
    chunk.boundedCount(Math.max(8, decoded.byteWidth()));
    return new Bound(this, new ChunkRepresentation(encoded, chunk.shape(), Optional.empty()));
  }

  private record Bound(CategorizeCodec codec, ChunkRepresentation encoded)
      implements ArrayArrayCodec.ReadOnlyBound {

    @Override
    public Elements decode(Elements stored) {
      FixedWidthElements from = (FixedWidthElements) stored;
      return codec.decoded().isFixedWidth() ? codec.fixed(from) : codec.variable(from);
    }
  }

  /** Texts of one length, zeros at the end; numpy cuts longer labels. */
  private Elements fixed(FixedWidthElements from) {
    int width = decoded.byteWidth();
    byte[][] texts = texts(UTF_32);
    byte[] to = new byte[from.count() * width];
    Numbers numbers = Numbers.of(encoded, name());
    for (int i = 0; i < from.count(); i++) {
      byte[] text = text(texts, numbers, from, i);
      System.arraycopy(text, 0, to, i * width, Math.min(width, text.length));
    }
    return new FixedWidthElements(decoded, from.shape(), to, 0);
  }

  private Elements variable(FixedWidthElements from) {
    byte[][] texts = texts(StandardCharsets.UTF_8);
    Numbers numbers = Numbers.of(encoded, name());
    int[] offsets = new int[from.count() + 1];
    long total = 0;
    for (int i = 0; i < from.count(); i++) {
      total += text(texts, numbers, from, i).length;
      if (total > CodecLimits.MAX_VARIABLE_CHUNK_BYTES) {
        throw new CodecException("the labels of one chunk take more than " + total + " bytes");
      }
      offsets[i + 1] = (int) total;
    }
    byte[] bytes = new byte[(int) total];
    for (int i = 0; i < from.count(); i++) {
      byte[] text = text(texts, numbers, from, i);
      System.arraycopy(text, 0, bytes, offsets[i], text.length);
    }
    return new VariableWidthElements(decoded, from.shape(), offsets, bytes);
  }

  private byte[][] texts(Charset charset) {
    byte[][] texts = new byte[labels.size() + 1][];
    texts[0] = new byte[0];
    for (int i = 0; i < labels.size(); i++) {
      texts[i + 1] = labels.get(i).getBytes(charset);
    }
    return texts;
  }

  private byte[] text(byte[][] texts, Numbers numbers, FixedWidthElements from, int i) {
    long number = numbers.getLong(from.bytes(), from.offset() + i * encoded.byteWidth());
    return number < 1 || number >= texts.length ? texts[0] : texts[(int) number];
  }
}
