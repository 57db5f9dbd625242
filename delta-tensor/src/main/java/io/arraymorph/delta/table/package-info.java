/**
 * Tensors in Delta tables: writing pieces as Parquet files, committing them, finding and reading
 * the rows of a slice.
 *
 * <p>Start with {@link io.arraymorph.delta.table.DeltaTensors}. Delta Kernel does the log and picks
 * files; files are read page by page here. All bytes go through {@link
 * io.arraymorph.store.ObjectStore}, whose put-if-absent makes commits safe among any number of
 * writers.
 */
package io.arraymorph.delta.table;
