package io.arraymorph.delta.paper;

import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.paper.PaperColumn.Kind;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which of the paper's layouts a table has: one table holds any number of tensors in one of them.
 *
 * @param encoding what is in the rows
 * @param rank of the tensors of CSF, whose columns depend on it; 0 otherwise
 */
public record PaperLayout(TensorEncoding encoding, int rank) implements Serializable {
  public static final String CHUNK = "chunk";
  public static final String CHUNK_ID = "chunk_id";
  public static final String CHUNK_DIM_COUNT = "chunk_dim_count";
  public static final String DIMENSIONS = "dimensions";
  public static final String DENSE_SHAPE = "dense_shape";
  public static final String FLATTENED_SHAPE = "flattened_shape";
  public static final String BLOCK_SHAPE = "block_shape";
  public static final String INDEX_ARRAY = "index_array";
  public static final String INDICES = "indices";
  public static final String VALUE = "value";
  public static final String VALUES_CHUNK = "values_chunk";
  public static final String PART = "id";

  /** Cells, or entries of one level of a tree, in a row of CSF. */
  public static final int CSF_ENTRIES = 50_000;

  /** The layout of tensors of a rank in an encoding. */
  public static PaperLayout of(TensorEncoding encoding, int rank) {
    return new PaperLayout(encoding, encoding == TensorEncoding.CSF ? rank : 0);
  }

  /** The layout of a table with columns of these names, if they are one of the paper's. */
  public static Optional<PaperLayout> of(Collection<String> names) {
    if (names.containsAll(Set.of("id", CHUNK, CHUNK_ID, CHUNK_DIM_COUNT, DIMENSIONS))) {
      return Optional.of(of(TensorEncoding.FTSF, 0));
    }
    if (!names.contains("id") || !names.contains(DENSE_SHAPE)) {
      return Optional.empty();
    }
    if (names.containsAll(Set.of("tensor_id", VALUES_CHUNK, "fid_zero"))) {
      int rank = names.contains("fid_one") ? 2 : 1;
      while (names.contains(fid(rank))) {
        rank++;
      }
      return Optional.of(of(TensorEncoding.CSF, rank));
    }
    if (!names.contains(VALUE)) {
      return Optional.empty();
    }
    if (names.containsAll(Set.of("crow_indices", "col_indices"))) {
      return Optional.of(of(TensorEncoding.CSR, 0));
    }
    if (names.containsAll(Set.of("ccol_indices", "row_indices"))) {
      return Optional.of(of(TensorEncoding.CSC, 0));
    }
    if (names.containsAll(Set.of(BLOCK_SHAPE, INDEX_ARRAY))) {
      return Optional.of(of(TensorEncoding.BSGS, 0));
    }
    return names.contains(INDICES) ? Optional.of(of(TensorEncoding.COO, 0)) : Optional.empty();
  }

  /** The column of CSF with the children of the nodes of a level. */
  public static String fptr(int level) {
    return level == 0 ? "fptr_zero" : level == 1 ? "fptr_one" : "fptr_" + level + "_chunk";
  }

  /** The column of CSF with the indices of the nodes of a level. */
  public static String fid(int level) {
    return level == 0 ? "fid_zero" : level == 1 ? "fid_one" : "fid_" + level + "_chunk";
  }

  /** The column of CSR or CSC with where rows begin. */
  public String pointers() {
    return encoding == TensorEncoding.CSR ? "crow_indices" : "ccol_indices";
  }

  /** The column of CSR or CSC with the numbers within rows. */
  public String minors() {
    return encoding == TensorEncoding.CSR ? "col_indices" : "row_indices";
  }

  /** The column with the tensor's id. */
  public String idColumn() {
    return encoding == TensorEncoding.CSF ? "tensor_id" : "id";
  }

  /** The column with the tensor's shape. */
  public String shapeColumn() {
    return encoding == TensorEncoding.FTSF ? DIMENSIONS : DENSE_SHAPE;
  }

  /** What the paper's code has in column {@code layout}. */
  public String label() {
    return encoding == TensorEncoding.BSGS ? "MODE_GENERIC" : encoding.name();
  }

  /** True if a tensor is read and written as a whole: a part of its rows has no meaning. */
  public boolean isWhole() {
    return encoding == TensorEncoding.CSR
        || encoding == TensorEncoding.CSC
        || encoding == TensorEncoding.CSF;
  }

  /** The columns in the order of the paper's code. */
  public List<PaperColumn> columns() {
    List<PaperColumn> columns = new ArrayList<>();
    columns.add(new PaperColumn("id", Kind.TEXT));
    if (encoding == TensorEncoding.FTSF) {
      columns.add(new PaperColumn(CHUNK, Kind.BYTES));
      columns.add(new PaperColumn(CHUNK_ID, Kind.INTEGER));
      columns.add(new PaperColumn("dim_count", Kind.INTEGER));
      columns.add(new PaperColumn(CHUNK_DIM_COUNT, Kind.INTEGER));
      columns.add(new PaperColumn(DIMENSIONS, Kind.INTEGERS));
      return columns;
    }
    if (encoding == TensorEncoding.CSF) {
      columns.add(new PaperColumn("tensor_id", Kind.TEXT));
    }
    columns.add(new PaperColumn("layout", Kind.TEXT));
    if (encoding == TensorEncoding.CSR || encoding == TensorEncoding.CSC) {
      columns.add(new PaperColumn(FLATTENED_SHAPE, Kind.INTEGERS));
    }
    columns.add(new PaperColumn(DENSE_SHAPE, Kind.INTEGERS));
    switch (encoding) {
      case COO:
        columns.add(new PaperColumn(INDICES, Kind.INTEGERS));
        columns.add(new PaperColumn(VALUE, Kind.NUMBER));
        break;
      case BSGS:
        columns.add(new PaperColumn(BLOCK_SHAPE, Kind.INTEGERS));
        columns.add(new PaperColumn(INDEX_ARRAY, Kind.INTEGERS));
        columns.add(new PaperColumn(VALUE, Kind.LISTS));
        break;
      case CSF:
        addLevels(columns);
        break;
      default:
        columns.add(new PaperColumn(pointers(), Kind.INTEGERS));
        columns.add(new PaperColumn(minors(), Kind.INTEGERS));
        columns.add(new PaperColumn(VALUE, Kind.NUMBERS));
    }
    return columns;
  }

  private void addLevels(List<PaperColumn> columns) {
    for (String name : List.of(fptr(0), fptr(1), fid(0), fid(1))) {
      columns.add(new PaperColumn(name, Kind.INTEGERS));
    }
    columns.add(new PaperColumn(VALUES_CHUNK, Kind.NUMBERS));
    for (int level = 2; level < rank; level++) {
      if (level < rank - 1) {
        columns.add(new PaperColumn(fptr(level), Kind.INTEGERS));
      }
      columns.add(new PaperColumn(fid(level), Kind.INTEGERS));
    }
  }
}
