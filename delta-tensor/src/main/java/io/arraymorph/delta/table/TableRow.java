package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.Piece;

/**
 * One row on its way into a file: a header or a piece.
 *
 * @param piece null for a header
 * @param headerCells stored cells of the tensor, for a header
 * @param encoding name of the tensor's encoding, for a header
 * @param header JSON, for a header
 */
// Bulk data: two holders of equal bytes are not meant to be compared.
@SuppressWarnings("ArrayRecordComponent")
record TableRow(String tensorId, Piece piece, long headerCells, String encoding, byte[] header) {

  static TableRow of(String tensorId, Piece piece) {
    return new TableRow(tensorId, piece, 0, null, null);
  }
}
