package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorHeader;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Optional;

/**
 * A live file of a table's snapshot. Immutable; two are equal if they are the same file with the
 * same rows deleted.
 */
public final class DataFile implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final long size;
  private final long[] deleted;
  private final long tail;
  private final byte[] flat;
  private final PaperPart paper;

  /**
   * @param key of the object in its store
   * @param size in bytes
   * @param deleted ascending numbers of the rows that a deletion vector takes away
   * @param tail where all that is needed to find rows begins, if the log says so, else -1
   */
  DataFile(String key, long size, long[] deleted, long tail) {
    this(key, size, deleted, tail, null, null);
  }

  private DataFile(String key, long size, long[] deleted, long tail, byte[] flat, PaperPart paper) {
    this.key = key;
    this.size = size;
    this.deleted = deleted;
    this.tail = tail;
    this.flat = flat;
    this.paper = paper;
  }

  /** The same file, known to be of a flat table whose tensor has this header. */
  DataFile ofFlatTable(TensorHeader header) {
    return new DataFile(key, size, deleted, tail, HeaderJson.write(header), null);
  }

  /** The same file, known to be of a table in one of the paper's layouts. */
  DataFile ofPaperTable(PaperPart part) {
    return new DataFile(key, size, deleted, tail, null, part);
  }

  /** What to know of the file if its table is in one of the paper's layouts. */
  Optional<PaperPart> paper() {
    return Optional.ofNullable(paper);
  }

  /** The header of the tensor if the file is of a flat table. */
  Optional<TensorHeader> flat() {
    return Optional.ofNullable(flat).map(HeaderJson::read);
  }

  /** Where to begin to read what is needed to find rows: where the log says, or a guess. */
  long tail(long guess) {
    return tail > 0 && tail < size ? tail : Math.max(0, size - guess);
  }

  /** The key of the object in its store. */
  public String key() {
    return key;
  }

  /** The size in bytes. */
  public long size() {
    return size;
  }

  /** True if a deletion vector takes this row away. */
  boolean isDeleted(long row) {
    return deleted.length > 0 && Arrays.binarySearch(deleted, row) >= 0;
  }

  /** True if a deletion vector takes rows away. */
  boolean hasDeletedRows() {
    return deleted.length > 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DataFile
        && key.equals(((DataFile) other).key)
        && Arrays.equals(deleted, ((DataFile) other).deleted);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + Arrays.hashCode(deleted);
  }

  @Override
  public String toString() {
    return key;
  }
}
