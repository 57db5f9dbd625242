/** Tensors as bytes that another process on the same machine maps: what Python gets and gives. */
package io.arraymorph.delta.exchange;
