/**
 * Sparse tensors in memory: the canonical form, how it is made from cells in any order, and what a
 * slice of it is.
 *
 * <p>Start with {@link io.arraymorph.delta.tensor.SparseTensor}. Nothing here knows tables or
 * encodings.
 */
package io.arraymorph.delta.tensor;
