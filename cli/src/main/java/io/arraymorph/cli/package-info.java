/** The command line: the readers and writers of the other modules without Spark. */
package io.arraymorph.cli;
