/**
 * Where the chunks of an array lie and how they are encoded: joins index space ({@code array}) and
 * objects ({@code store}).
 *
 * <p>Start with {@link io.arraymorph.layout.ChunkedArray}. Formats are sub-packages ({@code zarr});
 * codecs are in {@code codec}.
 */
package io.arraymorph.layout;
