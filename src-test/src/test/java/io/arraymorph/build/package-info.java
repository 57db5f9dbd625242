/** What the build promises: which package may know which, and what the shipped jar holds. */
package io.arraymorph.build;
