/**
 * Arrays as tables of a Spark catalog: what identifiers mean, how nodes below a warehouse are
 * found, and what SQL statements other than queries do.
 */
package io.arraymorph.spark.catalog;
