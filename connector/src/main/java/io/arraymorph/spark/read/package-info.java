/**
 * Reading arrays as Spark rows: from predicates to selections, from selections to partitions, from
 * partitions to columnar batches.
 *
 * <p>Start with {@link io.arraymorph.spark.read.HyperslabScanBuilder}, which collects what Spark
 * pushes down; {@link io.arraymorph.spark.read.PredicatePushdown} turns predicates into a
 * selection, {@link io.arraymorph.spark.read.PartitionPlanner} cuts it into partitions, and {@link
 * io.arraymorph.spark.read.PieceReaderFactory} reads them. Bytes are fetched by {@code
 * io.arraymorph.optimizer.execute.HyperslabReader} only.
 */
package io.arraymorph.spark.read;
