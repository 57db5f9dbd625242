/**
 * Files of numpy's {@code .npy} format: header, reading by boxes and writing in order.
 *
 * <p>Start with {@link io.arraymorph.cli.npy.NpyHeader}. The format is <a
 * href="https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html">numpy.lib.format</a>.
 */
package io.arraymorph.cli.npy;
