package io.arraymorph.array;

/**
 * The part of a selection that lies in one chunk.
 *
 * @param chunk which chunk
 * @param within the selected elements relative to the chunk's first element
 * @param absolute the same elements in the array's own indices; {@code within} shifted by the
 *     chunk's start
 */
public record ChunkSelection(ChunkCoordinates chunk, Hyperslab within, Hyperslab absolute) {}
