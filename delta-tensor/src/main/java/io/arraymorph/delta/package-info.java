/** Tensor encodings, and their storage as rows of Delta tables. */
package io.arraymorph.delta;
