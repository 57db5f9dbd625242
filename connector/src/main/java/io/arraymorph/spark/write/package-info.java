/**
 * Writing DataFrames as Zarr arrays and groups.
 *
 * <p>Start with {@link io.arraymorph.spark.write.ArraySave}: it takes the claim on the target,
 * plans the arrays, brings the rows into one of two forms (cells by index, tensors by first index)
 * and runs a DataSource V2 write of them, whose tasks put chunk objects and whose commit publishes.
 * The protocol in the store is {@code docs/spec/writing.md}.
 */
package io.arraymorph.spark.write;
