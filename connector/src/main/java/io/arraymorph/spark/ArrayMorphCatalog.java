package io.arraymorph.spark;

import io.arraymorph.spark.catalog.NodeCatalog;

/** The catalog of arrays. */
public final class ArrayMorphCatalog extends NodeCatalog {}
