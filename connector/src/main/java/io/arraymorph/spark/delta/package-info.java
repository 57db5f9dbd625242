/**
 * Tensors in Delta tables as Spark tables: options {@code storage} and {@code tensor}.
 *
 * <p>Start with {@link io.arraymorph.spark.delta.TensorTable} for reading and {@link
 * io.arraymorph.spark.delta.TensorSave} for writing. Encodings and the table itself are module
 * delta-tensor.
 */
package io.arraymorph.spark.delta;
