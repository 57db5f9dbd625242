/**
 * Zarr v3 and v2: metadata, chunk keys, groups and consolidated metadata.
 *
 * <p>Start with {@code ZarrNodes}, which opens what a URI points at. Metadata are untrusted: sizes
 * and depth are bounded and no node may lead outside its store.
 */
package io.arraymorph.layout.zarr;
