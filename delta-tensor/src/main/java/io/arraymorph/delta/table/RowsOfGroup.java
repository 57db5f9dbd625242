package io.arraymorph.delta.table;

import java.util.Arrays;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;

/** The wanted rows of one row group, as Parquet's page filtering takes them. */
final class RowsOfGroup {
  private final int[] rows;
  private final long count;

  /** Those of some ascending rows of a file that lie in a group. */
  RowsOfGroup(int[] rows, long offset, long count) {
    this.rows =
        Arrays.stream(rows)
            .filter(r -> r >= offset && r < offset + count)
            .map(r -> (int) (r - offset))
            .toArray();
    this.count = count;
  }

  boolean isEmpty() {
    return rows.length == 0;
  }

  RowRanges ranges() {
    return RowRanges.create(count, Arrays.stream(rows).iterator(), new OneRowPages());
  }

  /** Pretends that every row is a page, for Parquet makes ranges of rows from pages only. */
  private final class OneRowPages implements OffsetIndex {
    @Override
    public int getPageCount() {
      return (int) count;
    }

    @Override
    public long getOffset(int page) {
      throw new UnsupportedOperationException("not a page of a file");
    }

    @Override
    public int getCompressedPageSize(int page) {
      throw new UnsupportedOperationException("not a page of a file");
    }

    @Override
    public long getFirstRowIndex(int page) {
      return page;
    }

    @Override
    public int getPageOrdinal(int page) {
      return page;
    }
  }
}
