/**
 * The conventions for climate and forecast metadata (CF): what attributes say about missing values,
 * scaling and time, and how raw elements become column values by them.
 *
 * <p>Start with {@link io.arraymorph.layout.cf.CfDecoding}. No I/O. The rules, and where they
 * differ from other readers, are {@code docs/spec/cf.md}.
 */
package io.arraymorph.layout.cf;
