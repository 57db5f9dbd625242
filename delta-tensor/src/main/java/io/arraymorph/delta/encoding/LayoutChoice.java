package io.arraymorph.delta.encoding;

import com.github.luben.zstd.Zstd;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.SparseTensor;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Picks how to store a tensor by what a sample of its own cells costs: encoding, block shape and
 * the order of the axes inside a block.
 *
 * <p>Deterministic: the same tensor and wishes give the same layout.
 */
public final class LayoutChoice {
  /** Below this many cells one row of COO holds them all. */
  private static final int FEW_CELLS = 2048;

  private static final int SAMPLE_CELLS = 30_000;

  private final SparseTensor tensor;
  private final ArraySchema schema;
  private final Set<Integer> sliced;
  private final Optional<Shape> block;
  private final Map<Shape, BlockSample> samples = new HashMap<>();
  private final Map<Trial, Long> costs = new ConcurrentHashMap<>();

  /**
   * @param tensor what is to be stored, or a fair part of it
   * @param sliced the dimensions that will be sliced, empty if unknown
   * @param block the block shape that the user wants, empty to choose it
   */
  public LayoutChoice(SparseTensor tensor, Set<Integer> sliced, Optional<Shape> block) {
    this.tensor = tensor;
    this.schema = tensor.schema();
    this.sliced = Set.copyOf(sliced);
    this.block = block;
  }

  /** A layout of least cost over all encodings, with the reason. */
  public TensorLayout auto() {
    int rank = schema.shape().rank();
    if (tensor.count() <= FEW_CELLS && block.isEmpty()) {
      return TensorLayout.unblocked(
          TensorEncoding.COO, rank, "auto: coo, for " + tensor.count() + " cells fit into one row");
    }
    TensorLayout sparse = of(TensorEncoding.BSGS);
    BlockSample sample = sample(sparse.block());
    long sparseBytes = cost(sample, sparse);
    double density = sample.cells() / sample.volume();
    String measured =
        String.format(
            Locale.ROOT,
            "%.3g %% of the cells in %d sampled blocks are stored, %.2f bytes a cell as bsgs",
            100 * density,
            sample.blocks(),
            sparseBytes / (double) Math.max(1, sample.cells()));
    if (density > 0.02 && sample.volume() < 1 << 24 && schema.dataType().isFixedWidth()) {
      TensorLayout dense =
          TensorLayout.blocked(TensorEncoding.FTSF, naturalAxes(), sparse.block(), "");
      long denseBytes = cost(sample, dense);
      measured +=
          String.format(Locale.ROOT, ", %.2f as ftsf", denseBytes / (double) sample.cells());
      if (denseBytes < sparseBytes && isMostlyStored(sample)) {
        return withReason(dense, "auto: ftsf, for " + measured);
      }
    }
    return withReason(sparse, "auto: bsgs, for " + measured + "; " + sparse.reason());
  }

  /**
   * FTSF makes every cell of a chunk a stored one: a change that only nearly dense tensors bear.
   */
  private static boolean isMostlyStored(BlockSample sample) {
    return sample.cells() >= 0.5 * sample.volume();
  }

  /**
   * FTSF of a dense array, for which no cell needs to be looked at.
   *
   * @param sliced the dimensions that will be sliced, empty if unknown
   * @param block the chunk shape that the user wants, empty to choose it
   */
  public static TensorLayout ofDense(
      ArraySchema schema, Set<Integer> sliced, Optional<Shape> block) {
    int rank = schema.shape().rank();
    CellBuffer none = new CellBuffer(rank, schema.dataType());
    SparseTensor empty = SparseTensor.of(schema, none, DuplicatePolicy.ERROR, FillPolicy.KEEP);
    return new LayoutChoice(empty, sliced, block).of(TensorEncoding.FTSF);
  }

  /** The best layout of one encoding, with the reason. */
  public TensorLayout of(TensorEncoding encoding) {
    if (encoding == TensorEncoding.FTSF) {
      return TensorLayout.blocked(
          encoding,
          naturalAxes(),
          block.orElseGet(() -> ChunkShapes.dense(schema, sliced)),
          hint());
    }
    if (encoding == TensorEncoding.BSGS) {
      Shape shape = block.orElseGet(() -> ChunkShapes.sparse(tensor, sliced));
      List<Integer> axes = bestOrder(TensorLayout.blocked(encoding, naturalAxes(), shape, ""));
      return TensorLayout.blocked(
          encoding,
          axes,
          shape,
          "block " + shape + " " + hint() + ", axes " + axes + " compress best");
    }
    if (encoding == TensorEncoding.CSR || encoding == TensorEncoding.CSC || !sliced.isEmpty()) {
      List<Integer> axes = new ArrayList<>(sliced.stream().sorted().toList());
      naturalAxes().stream().filter(d -> !sliced.contains(d)).forEach(axes::add);
      return TensorLayout.unblocked(encoding, axes, hint());
    }
    List<Integer> axes = bestOrder(TensorLayout.unblocked(encoding, naturalAxes(), ""));
    return TensorLayout.unblocked(encoding, axes, "axes " + axes + " compress best");
  }

  private String hint() {
    if (block.isPresent()) {
      return "as asked for";
    }
    if (sliced.isEmpty()) {
      return "for no slice in particular";
    }
    return "for slices of " + sliced.stream().sorted().map(schema.dimensionNames()::get).toList();
  }

  private List<Integer> naturalAxes() {
    return IntStream.range(0, schema.shape().rank()).boxed().toList();
  }

  private static TensorLayout withReason(TensorLayout layout, String reason) {
    return new TensorLayout(
        layout.encoding(),
        layout.axisOrder(),
        layout.compressedAxes(),
        layout.block(),
        layout.pieceCells(),
        reason);
  }

  private BlockSample sample(Shape blockShape) {
    return samples.computeIfAbsent(
        blockShape, shape -> new BlockSample(tensor, shape, SAMPLE_CELLS));
  }

  private List<Integer> bestOrder(TensorLayout layout) {
    Shape sampleBlock =
        layout.encoding().usesBlocks() ? layout.block() : ChunkShapes.sparse(tensor, Set.of());
    BlockSample sample = sample(sampleBlock);
    return AxisOrders.cheapest(
        schema.shape(),
        layout.block(),
        order ->
            cost(
                sample,
                new TensorLayout(
                    layout.encoding(),
                    order,
                    layout.compressedAxes(),
                    layout.block(),
                    layout.pieceCells(),
                    "")));
  }

  private record Trial(BlockSample sample, TensorLayout layout) {}

  /** Bytes of a sample after encoding and compression. */
  private long cost(BlockSample sample, TensorLayout layout) {
    TensorLayout plain = withReason(layout, "");
    Trial trial = new Trial(sample, plain);
    Long known = costs.get(trial);
    if (known != null) {
      return known;
    }
    CompressedSize size = new CompressedSize();
    new TensorEncoder(schema, plain, 0)
        .encode(sample.columns(), sample.cells(), sample.values(), size);
    costs.put(trial, size.bytes());
    return size.bytes();
  }

  /** Counts what zstd leaves of pieces, page by page. */
  private static final class CompressedSize implements Consumer<Piece> {
    private static final int PAGE = 64 << 10;

    private final ByteArrayOutputStream positions = new ByteArrayOutputStream();
    private final ByteArrayOutputStream values = new ByteArrayOutputStream();
    private long bytes;

    @Override
    public void accept(Piece piece) {
      positions.writeBytes(piece.positions());
      values.writeBytes(piece.values());
      if (positions.size() + values.size() > PAGE) {
        flush();
      }
    }

    private void flush() {
      bytes += Zstd.compress(positions.toByteArray(), 1).length;
      bytes += Zstd.compress(values.toByteArray(), 1).length;
      positions.reset();
      values.reset();
    }

    long bytes() {
      flush();
      return bytes;
    }
  }
}
