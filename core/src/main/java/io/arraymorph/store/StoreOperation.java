package io.arraymorph.store;

/** The operations of an {@link ObjectStore}. */
public enum StoreOperation {
  /** {@link ObjectStore#get}. */
  GET,
  /** {@link ObjectStore#head}. */
  HEAD,
  /** {@link ObjectStore#list}. */
  LIST,
  /** {@link ObjectStore#put}. */
  PUT,
  /** {@link ObjectStore#copy}. */
  COPY,
  /** {@link ObjectStore#delete} and {@link ObjectStore#deleteAll}. */
  DELETE
}
