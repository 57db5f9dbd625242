package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Elements of fixed width one after the other (Zarr v3 codec {@code bytes}, Zarr v2 without
 * filters). Every element has its own place, so parts can be read alone.
 */
public final class BytesCodec implements ArrayBytesCodec {
  private final Optional<ByteOrder> order;
  private final Optional<ElementLayout> layout;

  private BytesCodec(Optional<ByteOrder> order, Optional<ElementLayout> layout) {
    this.order = order;
    this.layout = layout;
  }

  /**
   * Numbers in this byte order; absent is legal only where no number has two bytes, and in structs,
   * where it means little endian.
   */
  public static BytesCodec of(Optional<ByteOrder> order) {
    return new BytesCodec(order, Optional.empty());
  }

  /** Elements with a layout of their own (Zarr v2, where each field has a byte order). */
  public static BytesCodec of(ElementLayout layout) {
    return new BytesCodec(Optional.empty(), Optional.of(layout));
  }

  @Override
  public String name() {
    return "bytes";
  }

  @Override
  public ArrayBytesCodec.Bound bind(ChunkRepresentation decoded) {
    if (!decoded.type().isFixedWidth()) {
      throw CodecConfigurationException.invalid(
          "codec 'bytes' cannot store data type '" + decoded.type().zarrName() + "'");
    }
    ElementLayout elements =
        layout.orElseGet(
            () -> ElementLayout.of(decoded.type(), order.orElse(ByteOrder.LITTLE_ENDIAN)));
    // zarr-python 3.1 writes structured arrays without it, and means little endian.
    boolean mayBeAbsent = decoded.type() instanceof DataType.Struct || !elements.orderMatters();
    if (layout.isEmpty() && order.isEmpty() && !mayBeAbsent) {
      throw CodecConfigurationException.invalid(
          "codec 'bytes' needs 'endian' for data type '" + decoded.type().zarrName() + "'");
    }
    if (elements.width() != decoded.type().byteWidth()) {
      throw CodecConfigurationException.invalid(
          "stored elements of "
              + elements.width()
              + " bytes are no '"
              + decoded.type().zarrName()
              + "'");
    }
    decoded.boundedCount(elements.width());
    return new Bound(decoded, elements);
  }

  /** Both sides of one chunk shape; also the addressing of its elements. */
  private record Bound(ChunkRepresentation chunk, ElementLayout layout)
      implements ArrayBytesCodec.Bound, Addressing.Fixed {

    @Override
    public SizeRange encodedSize() {
      return SizeRange.exactly(chunk.elementCount() * layout.width());
    }

    @Override
    public Addressing addressing() {
      return this;
    }

    @Override
    public int elementBytes() {
      return layout.width();
    }

    @Override
    public Shape storedShape() {
      return chunk.shape();
    }

    @Override
    public boolean isAsInMemory() {
      return layout.isIdentity();
    }

    @Override
    public Elements decodePacked(ByteBuffer packed, Shape shape) {
      return decode(ByteSpan.of(packed), shape);
    }

    @Override
    public Elements decode(ByteSpan encoded) {
      return decode(encoded, chunk.shape());
    }

    private Elements decode(ByteSpan encoded, Shape shape) {
      int count = (int) shape.elementCount();
      SizeRange.exactly((long) count * layout.width()).check("the data", encoded.length());
      ByteSpan memory = layout.toMemory(encoded, count);
      return new FixedWidthElements(chunk.type(), shape, memory.array(), memory.offset());
    }

    @Override
    public ByteSpan encode(Elements elements) {
      FixedWidthElements fixed = (FixedWidthElements) elements;
      int length = (int) fixed.byteSize();
      ByteSpan memory = ByteSpan.of(ByteBuffer.wrap(fixed.bytes(), fixed.offset(), length));
      return layout.toStored(memory, fixed.count());
    }
  }
}
