package io.arraymorph.delta.table;

import java.util.Arrays;
import org.apache.parquet.column.ColumnReader;
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

  int count() {
    return rows.length;
  }

  /** The number in the group of the i-th wanted row. */
  long row(int i) {
    return rows[i];
  }

  /**
   * The values of the wanted rows.
   *
   * @param column at its first value; gives those of all pages that hold a wanted row
   * @param pages where its pages begin, or null if all of the group is read
   */
  byte[][] pick(ColumnReader column, OffsetIndex pages) {
    byte[][] picked = new byte[rows.length][];
    int next = 0;
    int pageCount = pages == null ? 1 : pages.getPageCount();
    for (int p = 0; p < pageCount && next < rows.length; p++) {
      long first = pages == null ? 0 : pages.getFirstRowIndex(p);
      long last = pages == null ? count - 1 : pages.getLastRowIndex(p, count);
      if (rows[next] > last) {
        continue;
      }
      for (long row = first; row <= last; row++) {
        boolean wanted = next < rows.length && rows[next] == row;
        byte[] value = RowColumns.next(column, wanted);
        if (wanted) {
          picked[next++] = value;
        }
      }
    }
    return picked;
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
