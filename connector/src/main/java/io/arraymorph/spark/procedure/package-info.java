/**
 * What users do with arrays besides queries: described once, for CALL, Java and Python. Nothing
 * here links to Spark's procedure interfaces, which Spark 3.5 has not.
 */
package io.arraymorph.spark.procedure;
