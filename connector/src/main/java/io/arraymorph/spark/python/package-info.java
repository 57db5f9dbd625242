/**
 * What the Python package {@code arraymorph} calls through py4j: open, describe, select by label,
 * plan, read into a file that numpy maps, write from files of numpy.
 *
 * <p>Arguments and answers are texts (JSON), numbers and paths, so that one call does one thing.
 * Start with {@link io.arraymorph.spark.python.PythonDataset}. Everything that is decided here is
 * decided by the planners and readers of the other packages.
 */
package io.arraymorph.spark.python;
