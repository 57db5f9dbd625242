/**
 * The Spark data source {@code arraymorph}: source, table, options, and the guard of the clip rule.
 *
 * <p>Start with {@link io.arraymorph.spark.ArrayMorphSource}. Reading is in {@code read}, writing
 * in {@code write}. One set of classes runs on every Spark from 3.5 on, with Scala 2.12 or 2.13:
 * nothing here names a Scala collection in a signature, and what exists only in later versions is
 * implemented without {@code @Override}.
 */
package io.arraymorph.spark;
