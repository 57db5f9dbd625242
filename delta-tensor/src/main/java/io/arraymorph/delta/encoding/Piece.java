package io.arraymorph.delta.encoding;

import io.arraymorph.delta.tensor.Box;

/**
 * A part of a tensor that can be decoded on its own: one data row of a table.
 *
 * @param part where the piece stands in the writer's order
 * @param box the bounding box of its cells, in indices of the whole tensor
 * @param cells number of stored cells
 * @param rawBytes bytes of the decoded values
 * @param format how positions and values are laid out
 * @param positions payload of the positions, empty if the format needs none
 * @param values payload of the values
 */
// Bulk data: two holders of equal bytes are not meant to be compared.
@SuppressWarnings("ArrayRecordComponent")
public record Piece(
    long part,
    Box box,
    long cells,
    long rawBytes,
    RowFormat format,
    byte[] positions,
    byte[] values) {

  /** The same piece at another place in the writer's order. */
  Piece numbered(long number) {
    return new Piece(number, box, cells, rawBytes, format, positions, values);
  }
}
