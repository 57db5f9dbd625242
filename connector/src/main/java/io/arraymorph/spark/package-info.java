/** The Spark data source {@code arraymorph}. */
package io.arraymorph.spark;
