package io.arraymorph.delta.paper;

import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.Region;
import io.arraymorph.layout.npy.NpyBytes;
import java.util.Arrays;

/** Rows of the paper's layouts as cells of a tensor. Not thread-safe. */
public final class PaperCells {
  private final TensorHeader header;
  private final Shape shape;
  private final int rank;
  private final boolean codeOrder;
  private final long[] cell;

  /**
   * @param header of the tensor
   * @param codeOrder true if rows and columns of CSC are numbered as by the paper's code
   */
  public PaperCells(TensorHeader header, boolean codeOrder) {
    this.header = header;
    this.shape = header.schema().shape();
    this.rank = shape.rank();
    this.codeOrder = codeOrder;
    this.cell = new long[rank];
  }

  /** Appends the cells of a row that are in a region; not for FTSF and CSF. */
  public void decode(PaperRecord row, Region region, CellBuffer out) {
    checkShape(row.numbers(PaperLayout.DENSE_SHAPE));
    switch (header.layout().encoding()) {
      case COO:
        coo(row, region, out);
        break;
      case BSGS:
        block(row, region, out);
        break;
      default:
        matrix(row, region, out);
    }
  }

  private void checkShape(Numbers lengths) {
    if (!lengths.shape().equals(shape)) {
      throw Numbers.corrupt(
          "has shape " + lengths.shape() + ", tensor '" + header.tensorId() + "' has " + shape);
    }
  }

  private void add(Region region, Numbers values, int i, CellBuffer out) {
    boolean inside = true;
    for (int d = 0; d < rank; d++) {
      if (cell[d] < 0 || cell[d] >= shape.length(d)) {
        throw Numbers.corrupt("has a cell at " + Arrays.toString(cell) + ", outside " + shape);
      }
      inside &= region.contains(d, cell[d]);
    }
    if (inside) {
      out.append(cell);
      PaperValues.append(values, i, out.values());
    }
  }

  private void coo(PaperRecord row, Region region, CellBuffer out) {
    Numbers indices = row.numbers(PaperLayout.INDICES);
    Numbers value = row.numbers(PaperLayout.VALUE);
    if (indices.size() != rank || value.size() != 1) {
      throw Numbers.corrupt("has " + indices.size() + " indices and " + value.size() + " values");
    }
    for (int d = 0; d < rank; d++) {
      cell[d] = indices.integer(d);
    }
    add(region, value, 0, out);
  }

  private void block(PaperRecord row, Region region, CellBuffer out) {
    Numbers place = row.numbers(PaperLayout.INDEX_ARRAY);
    Shape block = row.numbers(PaperLayout.BLOCK_SHAPE).shape();
    Numbers values = row.numbers(PaperLayout.VALUE);
    if (place.size() != rank || block.rank() != rank) {
      throw Numbers.corrupt("has a block of " + block + " at " + place.size() + " indices");
    }
    if (values.lists() == 0 && values.size() > 0) {
      denseBlock(place, block, values, region, out);
      return;
    }
    int count = values.lists() == rank + 1 ? values.start(1) - values.start(0) : -1;
    for (int list = 0; list <= rank; list++) {
      if (count < 0 || values.start(list + 1) - values.start(list) != count) {
        throw Numbers.corrupt("has " + values.lists() + " lists in a block of rank " + rank);
      }
    }
    for (int i = 0; i < count; i++) {
      for (int d = 0; d < rank; d++) {
        long inner = values.integer(values.start(d) + i);
        if (inner < 0 || inner >= block.length(d)) {
          throw Numbers.corrupt("has place " + inner + " in a block of " + block);
        }
        cell[d] = Math.addExact(Math.multiplyExact(place.integer(d), block.length(d)), inner);
      }
      add(region, values, values.start(rank) + i, out);
    }
  }

  /** A block as in the paper's figure: all its values in C order; those other than 0 are cells. */
  private void denseBlock(
      Numbers place, Shape block, Numbers values, Region region, CellBuffer out) {
    if (block.elementCount() != values.size()) {
      throw Numbers.corrupt("has " + values.size() + " values in a block of " + block);
    }
    for (int i = 0; i < values.size(); i++) {
      if (values.bits(i) != 0) {
        PaperGeometry.indices(block, i, 0, rank, cell);
        for (int d = 0; d < rank; d++) {
          cell[d] += place.integer(d) * block.length(d);
        }
        add(region, values, i, out);
      }
    }
  }

  private void matrix(PaperRecord row, Region region, CellBuffer out) {
    TensorEncoding encoding = header.layout().encoding();
    PaperLayout layout = PaperLayout.of(encoding, rank);
    boolean csr = encoding == TensorEncoding.CSR;
    Numbers pointers = row.numbers(layout.pointers());
    Numbers minors = row.numbers(layout.minors());
    Numbers values = row.numbers(PaperLayout.VALUE);
    Shape matrix = PaperGeometry.matrix(encoding, shape, header);
    long majors = matrix.length(csr ? 0 : 1);
    if (pointers.size() != majors + 1
        || minors.size() != values.size()
        || pointers.integer(0) != 0
        || pointers.integer((int) majors) != values.size()) {
      throw Numbers.corrupt(
          "has "
              + pointers.size()
              + " pointers, "
              + minors.size()
              + " indices and "
              + values.size()
              + " values for a matrix of "
              + matrix);
    }
    int cut = csr ? Math.max(0, rank - 1) : Math.min(1, rank);
    for (int major = 0; major < majors; major++) {
      long from = pointers.integer(major);
      long to = pointers.integer(major + 1);
      if (from > to || to > values.size()) {
        throw Numbers.corrupt("has pointers that fall, from " + from + " to " + to);
      }
      for (int i = (int) from; i < to; i++) {
        long minor = minors.integer(i);
        if (minor < 0 || minor >= matrix.length(csr ? 1 : 0)) {
          throw Numbers.corrupt("has index " + minor + " in a matrix of " + matrix);
        }
        if (!csr && codeOrder) {
          PaperGeometry.indices(shape, major * matrix.length(0) + minor, 0, rank, cell);
        } else {
          PaperGeometry.indices(shape, csr ? major : minor, 0, cut, cell);
          PaperGeometry.indices(shape, csr ? minor : major, cut, rank, cell);
        }
        add(region, values, i, out);
      }
    }
  }

  /** Appends the cells of a tree that are in a region. */
  public void decode(PaperTree tree, Region region, CellBuffer out) {
    checkShape(tree.lengths());
    tree.check(rank);
    descend(tree, 0, 0, rank == 0 ? tree.values().size() : tree.fid(0).size(), region, out);
  }

  private void descend(
      PaperTree tree, int level, long from, long to, Region region, CellBuffer out) {
    if (rank == 0) {
      for (int i = 0; i < to; i++) {
        add(region, tree.values(), i, out);
      }
      return;
    }
    for (int node = (int) from; node < to; node++) {
      cell[level] = tree.fid(level).integer(node);
      if (cell[level] < 0 || cell[level] >= shape.length(level)) {
        throw Numbers.corrupt("has index " + cell[level] + " along dimension " + level);
      }
      if (region.contains(level, cell[level])) {
        if (level == rank - 1) {
          add(region, tree.values(), node, out);
        } else {
          Numbers children = tree.fptr(level);
          descend(tree, level + 1, children.integer(node), children.integer(node + 1), region, out);
        }
      }
    }
  }

  /** The numbers of the first and the last chunk of FTSF that may hold cells of a region. */
  public long[] chunkRange(Region region) {
    int outer = rank - PaperGeometry.chunkDimensions(header);
    long first = 0;
    long last = 0;
    for (int d = 0; d < outer; d++) {
      first = first * shape.length(d) + region.first(d);
      last = last * shape.length(d) + region.last(d);
    }
    return new long[] {first, last};
  }

  /**
   * The chunk of a row of FTSF, or null if it has no cell in a region.
   *
   * @return the box and the values
   */
  public TensorEncoder.Chunk chunk(PaperRecord row, Region region) {
    int outer = rank - PaperGeometry.chunkDimensions(header);
    long number = row.integer(PaperLayout.CHUNK_ID);
    checkShape(row.numbers(PaperLayout.DIMENSIONS));
    if (number < 0 || number >= PaperGeometry.chunks(header)) {
      throw Numbers.corrupt("has chunk " + number + " of " + PaperGeometry.chunks(header));
    }
    long[] low = new long[rank];
    long[] high = new long[rank];
    PaperGeometry.indices(shape, number, 0, outer, low);
    long[] lengths = new long[rank];
    for (int d = 0; d < rank; d++) {
      high[d] = d < outer ? low[d] : shape.length(d) - 1;
      lengths[d] = high[d] - low[d] + 1;
    }
    Box box = Box.of(low, high);
    if (!region.intersects(box)) {
      return null;
    }
    FixedWidthElements values =
        NpyBytes.read(
            row.bytes(PaperLayout.CHUNK), "chunk " + number + " of '" + header.tensorId() + "'");
    Shape inner = Shape.of(Arrays.copyOfRange(lengths, outer, rank));
    if (!values.type().equals(header.schema().dataType()) || !same(values.shape(), inner)) {
      throw Numbers.corrupt(
          "has a chunk of "
              + values.type().zarrName()
              + " "
              + values.shape()
              + " instead of "
              + header.schema().dataType().zarrName()
              + " "
              + inner);
    }
    return new TensorEncoder.Chunk(
        box, new FixedWidthElements(values.type(), Shape.of(lengths), values.bytes(), 0));
  }

  /** True if two shapes differ in lengths of 1 only, which move no element. */
  private static boolean same(Shape a, Shape b) {
    return Arrays.equals(
        Arrays.stream(a.toArray()).filter(length -> length != 1).toArray(),
        Arrays.stream(b.toArray()).filter(length -> length != 1).toArray());
  }
}
