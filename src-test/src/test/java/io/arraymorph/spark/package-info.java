/** The data source on a real Spark: what queries return, what they read, how they fail. */
package io.arraymorph.spark;
