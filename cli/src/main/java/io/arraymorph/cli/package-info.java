/**
 * The command line: the readers and writers of the other modules without Spark.
 *
 * <p>Start with {@link io.arraymorph.cli.Main}; each command is a class of its own. Exit codes: 0
 * done, 1 failed with a coded error on standard error, 2 wrong usage, 3 a defect of arraymorph.
 */
package io.arraymorph.cli;
