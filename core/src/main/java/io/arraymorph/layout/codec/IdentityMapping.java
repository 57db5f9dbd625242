package io.arraymorph.layout.codec;

/**
 * Leaves elements as they are: filters that lost precision when they were written ({@code
 * bitround}, {@code quantize}) read so.
 *
 * @param width bytes of one element
 */
public record IdentityMapping(int width) implements ElementMapping {

  @Override
  public void decode(byte[] from, int offset, byte[] to, int count) {
    System.arraycopy(from, offset, to, 0, count * width);
  }

  @Override
  public void encode(byte[] from, int offset, byte[] to, int count) {
    decode(from, offset, to, count);
  }
}
