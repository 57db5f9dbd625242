/**
 * The encodings of tensors as table rows: FTSF, COO, CSR/CSC, CSF and BSGS, each a pure pair tensor
 * to rows and row to cells.
 *
 * <p>Start with {@link io.arraymorph.delta.encoding.TensorEncoding} and {@link
 * io.arraymorph.delta.encoding.RowFormat}. Layouts are written down in {@code
 * docs/spec/delta-tensor.md}. No I/O here.
 */
package io.arraymorph.delta.encoding;
