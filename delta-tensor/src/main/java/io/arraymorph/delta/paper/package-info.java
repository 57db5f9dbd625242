/**
 * The column layouts of the paper on Delta Tensor, as pure functions between tensors and rows: for
 * comparison, and for tables that others write.
 */
package io.arraymorph.delta.paper;
