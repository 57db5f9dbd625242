package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;

/** A codec from elements to elements: reorders dimensions, changes type or values. */
public non-sealed interface ArrayArrayCodec extends Codec {

  /** The type of the elements on the encoded side. */
  default DataType encodedType(DataType decoded) {
    return decoded;
  }

  /**
   * This codec on chunks of one representation.
   *
   * @throws CodecConfigurationException if it cannot be used there
   */
  Bound bind(ChunkRepresentation decoded);

  /** A codec bound to the representation of its decoded side. Thread-safe. */
  interface Bound {

    /** The representation of the encoded side. */
    ChunkRepresentation encoded();

    /** True if any part of a chunk can be decoded without the rest. */
    boolean isPartial();

    /** True if elements only move, so that the fill value is the same on both sides. */
    boolean keepsValues();

    /** Where the elements of a hyperslab are on the encoded side. */
    Hyperslab toStored(Hyperslab within);

    /** Decodes a whole chunk or, if {@link #isPartial()}, the packed elements of a hyperslab. */
    Elements decode(Elements stored);

    /** Encodes a whole chunk. */
    Elements encode(Elements chunk);
  }

  /** A codec that is only read, one whole chunk after the other. */
  interface ReadOnlyBound extends Bound {

    /** The codec. */
    ArrayArrayCodec codec();

    @Override
    default boolean isPartial() {
      return false;
    }

    @Override
    default boolean keepsValues() {
      return false;
    }

    @Override
    default Hyperslab toStored(Hyperslab within) {
      return within;
    }

    @Override
    default Elements encode(Elements chunk) {
      throw CodecConfigurationException.unsupported(
          "codec '" + codec().name() + "' can only be read");
    }
  }
}
