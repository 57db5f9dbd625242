package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.paper.PaperCells;
import io.arraymorph.delta.paper.PaperColumn;
import io.arraymorph.delta.paper.PaperLayout;
import io.arraymorph.delta.paper.PaperRecord;
import io.arraymorph.delta.paper.PaperTree;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.Region;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.api.Binary;

/**
 * Reads files in the paper's layouts, whoever wrote them. Chunks of FTSF are found by their numbers
 * through row groups and pages; the other layouts have no column to find cells by. Thread-safe.
 */
final class PaperFileReader {
  private static final long TAIL = 64 << 10;
  private static final int BATCH_CELLS = 1 << 18;

  private final ObjectStore store;

  PaperFileReader(ObjectStore store) {
    this.store = store;
  }

  /** Reads the cells of a region in one of several shares of a file. */
  void pieces(DataFile file, Region region, int share, int shares, Consumer<Piece> sink) {
    PaperPart part = file.paper().orElseThrow();
    if (region.isEmpty() || (part.layout().isWhole() && share > 0)) {
      return;
    }
    switch (part.layout().encoding()) {
      case FTSF:
        chunks(file, part, region, share, shares, sink);
        break;
      case CSF:
        tree(file, part, region, sink);
        break;
      default:
        boolean whole = part.layout().isWhole();
        long from = whole ? 0 : file.size() * share / shares;
        long to = whole ? file.size() : file.size() * (share + 1) / shares;
        rows(file, part, region, from, to, sink);
    }
  }

  private void chunks(
      DataFile file, PaperPart part, Region region, int share, int shares, Consumer<Piece> sink) {
    TensorHeader header = part.tensor();
    PaperCells cells = new PaperCells(header, part.codeOrder());
    long[] range = cells.chunkRange(region);
    long count = range[1] - range[0] + 1;
    long first = range[0] + count * share / shares;
    long last = range[0] + count * (share + 1) / shares - 1;
    if (first > last) {
      return;
    }
    TensorEncoder encoder = new TensorEncoder(header.schema(), header.layout(), first);
    FilterPredicate numbers =
        part.longChunks()
            ? FilterApi.and(
                FilterApi.gtEq(FilterApi.longColumn(PaperLayout.CHUNK_ID), first),
                FilterApi.ltEq(FilterApi.longColumn(PaperLayout.CHUNK_ID), last))
            : FilterApi.and(
                FilterApi.gtEq(FilterApi.intColumn(PaperLayout.CHUNK_ID), (int) first),
                FilterApi.ltEq(FilterApi.intColumn(PaperLayout.CHUNK_ID), (int) last));
    Set<String> columns =
        Set.of(
            part.layout().idColumn(),
            PaperLayout.CHUNK,
            PaperLayout.CHUNK_ID,
            PaperLayout.DIMENSIONS);
    read(
        file,
        columns,
        Optional.of(FilterApi.and(ofTensor(part), numbers)),
        0,
        file.size(),
        row -> {
          TensorEncoder.Chunk chunk = cells.chunk(row, region);
          Piece piece = chunk == null ? null : encoder.chunk(chunk.box(), chunk.elements());
          if (piece != null) {
            sink.accept(piece);
          }
          return true;
        });
  }

  private void tree(DataFile file, PaperPart part, Region region, Consumer<Piece> sink) {
    TensorHeader header = part.tensor();
    PaperTree tree = new PaperTree(header.schema().shape().rank());
    Set<String> columns = names(part.layout(), true);
    Optional<FilterPredicate> ofTensor = Optional.of(ofTensor(part));
    Predicate<PaperRecord> take =
        row -> {
          tree.add(row);
          return true;
        };
    read(file, columns, ofTensor, 0, file.size(), take);
    for (DataFile other : part.others()) {
      read(other, columns, ofTensor, 0, other.size(), take);
    }
    if (!tree.isEmpty()) {
      CellBuffer out = new CellBuffer(region.rank(), header.schema().dataType());
      new PaperCells(header, part.codeOrder()).decode(tree, region, out);
      FlatFileReader.emit(out, header, sink);
    }
  }

  private void rows(
      DataFile file, PaperPart part, Region region, long from, long to, Consumer<Piece> sink) {
    TensorHeader header = part.tensor();
    PaperCells cells = new PaperCells(header, part.codeOrder());
    Optional<FilterPredicate> filter =
        part.isOnly() ? Optional.empty() : Optional.of(ofTensor(part));
    CellBuffer[] out = {new CellBuffer(region.rank(), header.schema().dataType())};
    read(
        file,
        names(part.layout(), filter.isPresent()),
        filter,
        from,
        to,
        row -> {
          cells.decode(row, region, out[0]);
          if (out[0].count() >= BATCH_CELLS) {
            FlatFileReader.emit(out[0], header, sink);
            out[0] = new CellBuffer(region.rank(), header.schema().dataType());
          }
          return true;
        });
    FlatFileReader.emit(out[0], header, sink);
  }

  /**
   * The columns that hold the tensor, without those that only repeat what is known; a filter sees
   * only columns that are read.
   */
  private static Set<String> names(PaperLayout layout, boolean isFiltered) {
    Set<String> names = new HashSet<>();
    layout.columns().stream().map(PaperColumn::name).forEach(names::add);
    names.remove("layout");
    names.remove(PaperLayout.FLATTENED_SHAPE);
    if (!isFiltered) {
      names.remove(layout.idColumn());
    }
    return names;
  }

  private static FilterPredicate ofTensor(PaperPart part) {
    return ofTensor(part.layout(), part.tensor().tensorId());
  }

  /** The rows of a tensor. */
  static FilterPredicate ofTensor(PaperLayout layout, String tensorId) {
    return FilterApi.eq(FilterApi.binaryColumn(layout.idColumn()), Binary.fromString(tensorId));
  }

  /**
   * Reads some columns of the rows that pass a filter and no deletion vector takes away, of the row
   * groups whose middle lies between two positions.
   *
   * @param sink gets a record that is valid during the call; false ends the reading
   */
  void read(
      DataFile file,
      Set<String> columns,
      Optional<FilterPredicate> filter,
      long from,
      long to,
      Predicate<PaperRecord> sink) {
    StoreInputFile input = new StoreInputFile(new StorePath(store, file.key()), file.size());
    try {
      input.fetch(List.of(ByteRange.of(Math.max(0, file.size() - TAIL), file.size())), 0);
      Builder builder = new Builder(input, columns);
      builder.withConf(new Configuration(false)).usePageChecksumVerification();
      filter.ifPresent(f -> builder.withFilter(FilterCompat.get(f)));
      try (ParquetReader<PaperRecord> reader = builder.withFileRange(from, to).build()) {
        for (PaperRecord row = reader.read(); row != null; row = reader.read()) {
          if (!(file.hasDeletedRows() && file.isDeleted(reader.getCurrentRowIndex()))
              && !sink.test(row)) {
            return;
          }
        }
      }
    } catch (IOException | RuntimeException e) {
      throw DataFileReader.failure(file, e);
    }
  }

  private static final class Builder extends ParquetReader.Builder<PaperRecord> {
    private final Set<String> columns;

    Builder(InputFile file, Set<String> columns) {
      super(file);
      this.columns = columns;
    }

    @Override
    protected ReadSupport<PaperRecord> getReadSupport() {
      return new PaperReadSupport(columns);
    }
  }
}
