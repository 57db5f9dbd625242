/** SQL on the catalog, end to end. */
package io.arraymorph.spark.catalog;
