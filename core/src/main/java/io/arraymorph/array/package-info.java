/**
 * What an n-d array, a chunk grid and a hyperslab are: pure index arithmetic on immutable values.
 *
 * <p>Start with {@link io.arraymorph.array.Hyperslab} and {@link io.arraymorph.array.ChunkGrid}.
 * All indices are {@code long} and half-open. This package does no I/O, does not know object
 * stores, and depends on the JDK only.
 */
package io.arraymorph.array;
