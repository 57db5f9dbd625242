package io.arraymorph.spark;

import io.arraymorph.spark.catalog.NodeCatalog;

/**
 * The catalog of arrays without CALL, for Spark 3.5 and for platforms that do not load procedures:
 * {@code spark.sql.catalog.am=io.arraymorph.spark.ArrayMorphBaseCatalog}, {@code
 * spark.sql.catalog.am.warehouse=s3a://bucket/dir}.
 */
public final class ArrayMorphBaseCatalog extends NodeCatalog {}
