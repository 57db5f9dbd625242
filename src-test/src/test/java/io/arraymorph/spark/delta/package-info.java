/** Tensors in Delta tables, written and read by Spark. */
package io.arraymorph.spark.delta;
