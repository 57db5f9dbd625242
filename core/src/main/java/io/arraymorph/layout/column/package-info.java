/**
 * What a stored element becomes in a table: logical column types, and columns of decoded values as
 * little-endian buffers with validity bits.
 *
 * <p>Start with {@link io.arraymorph.layout.column.ColumnType} and {@link
 * io.arraymorph.layout.column.DecodedColumn}. Independent of Spark and Arrow, but laid out so that
 * both take the buffers as they are. The table of types is {@code docs/spec/types.md}.
 */
package io.arraymorph.layout.column;
