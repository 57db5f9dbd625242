/**
 * How Zarr v3 arrays and groups are created, grown and replaced in an object store, so that readers
 * see an old state or a new one and never a part; the protocol is {@code docs/spec/writing.md}.
 *
 * <p>Start with {@link io.arraymorph.layout.zarr.write.NodeWrite}, which one writer (Spark's
 * driver) holds, and {@link io.arraymorph.layout.zarr.write.ChunkWriter}, of which every task has
 * its own. Knows nothing of Spark.
 */
package io.arraymorph.layout.zarr.write;
