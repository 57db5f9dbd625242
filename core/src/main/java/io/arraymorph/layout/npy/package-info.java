/**
 * numpy's types, what values of a variable become in them, and files of its {@code .npy} format:
 * header, reading by boxes and writing in order.
 *
 * <p>Start with {@link io.arraymorph.layout.npy.NpyHeader}. The format is <a
 * href="https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html">numpy.lib.format</a>.
 */
package io.arraymorph.layout.npy;
