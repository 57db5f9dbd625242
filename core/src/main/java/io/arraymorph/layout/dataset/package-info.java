/**
 * Arrays as one table: which variables share their dimensions, which 1-D arrays are coordinates,
 * and what the columns are called.
 *
 * <p>Start with {@link io.arraymorph.layout.dataset.Dataset}; {@link
 * io.arraymorph.layout.dataset.ZarrDataset} opens one from Zarr metadata, and {@link
 * io.arraymorph.layout.dataset.SliceText} turns the text of option {@code slice} into a selection
 * of it. The rules are {@code docs/spec/dataset.md} and {@code docs/spec/slice.md}.
 */
package io.arraymorph.layout.dataset;
