package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorHeader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Publishes, replaces, grows or deletes a tensor: each is one commit, tried again on top of
 * whatever else was committed meanwhile.
 */
public final class TensorChange {
  private static final int MOST_TRIES = 100;

  /** Names the attribute by which a repeated commit of one query and epoch is recognised. */
  public static final String COMMIT_ATTRIBUTE = "arraymorph.commit";

  private final TensorTable table;
  private final TableReader reader;

  TensorChange(TensorTable table, TableReader reader) {
    this.table = table;
    this.reader = reader;
  }

  /**
   * Commits a tensor whose data files were written; deletes them if that fails for good.
   *
   * @return the version of the table that has it
   */
  long publish(TensorHeader header, List<PieceFile> data, WriteMode mode) {
    return retry(
        header.tensorId(),
        data,
        base -> {
          Optional<TensorHeader> before = base.flatMap(b -> header(b, header.tensorId()));
          if (before.isPresent() && isRepeated(before.get(), header)) {
            return Optional.empty();
          }
          if (before.isPresent() && mode == WriteMode.CREATE) {
            throw new ArrayMorphException(
                ErrorCode.ARRAY_EXISTS,
                "tensor '" + header.tensorId() + "' is already in " + table.path(),
                "Use mode overwrite, or another tensor id");
          }
          Draft draft = new Draft(base, header.tensorId());
          if (before.isPresent()) {
            for (TableSnapshot.LiveFile file : base.get().filesOf(header.tensorId())) {
              draft.removeRows(file, index -> row -> index.tensor(row).equals(header.tensorId()));
            }
          }
          draft.header(header);
          draft.commit.add(data);
          return Optional.of(draft);
        });
  }

  private static boolean isRepeated(TensorHeader before, TensorHeader header) {
    String commit = header.attributes().get(COMMIT_ATTRIBUTE);
    return commit != null && commit.equals(before.attributes().get(COMMIT_ATTRIBUTE));
  }

  /**
   * Commits more data rows of a tensor with its new header.
   *
   * @param expected the header on which the new one builds
   * @throws ArrayMorphException CONCURRENT_WRITE if the tensor changed since; the data files are
   *     deleted
   */
  long grow(TensorHeader expected, TensorHeader header, List<PieceFile> data) {
    return retry(
        header.tensorId(),
        data,
        found -> {
          TableSnapshot base = found.orElseThrow(table::missing);
          Optional<TensorHeader> before = header(base, header.tensorId());
          if (before.isPresent() && isRepeated(before.get(), header)) {
            return Optional.empty();
          }
          if (before.isEmpty() || !sameHeader(before.get(), expected)) {
            throw new ArrayMorphException(
                ErrorCode.CONCURRENT_WRITE,
                "tensor '"
                    + header.tensorId()
                    + "' of "
                    + table.path()
                    + " was changed by another writer meanwhile",
                "Run the append again");
          }
          Draft draft = new Draft(found, header.tensorId());
          for (TableSnapshot.LiveFile file : base.headerFiles(Optional.of(header.tensorId()))) {
            draft.removeRows(
                file,
                index -> row -> index.isHeader(row) && index.tensor(row).equals(header.tensorId()));
          }
          draft.header(header);
          draft.commit.add(data);
          return Optional.of(draft);
        });
  }

  private static boolean sameHeader(TensorHeader a, TensorHeader b) {
    return java.util.Arrays.equals(HeaderJson.write(a), HeaderJson.write(b));
  }

  /** Deletes a tensor; UNKNOWN_TENSOR if it is not there. */
  long delete(String tensorId) {
    return retry(
        tensorId,
        List.of(),
        found -> {
          TableSnapshot base = found.orElseThrow(table::missing);
          if (header(base, tensorId).isEmpty()) {
            throw DeltaTensors.unknown(table.path(), tensorId, List.of());
          }
          Draft draft = new Draft(found, tensorId);
          for (TableSnapshot.LiveFile file : base.filesOf(tensorId)) {
            draft.removeRows(file, index -> row -> index.tensor(row).equals(tensorId));
          }
          return Optional.of(draft);
        });
  }

  private Optional<TensorHeader> header(TableSnapshot base, String tensorId) {
    return reader.headers(base, Optional.of(tensorId)).stream().findFirst();
  }

  /** Makes a draft on a version, or on no table; empty if there is nothing left to do. */
  private interface Drafting {
    Optional<Draft> on(Optional<TableSnapshot> base);
  }

  private long retry(String tensorId, List<PieceFile> data, Drafting drafting) {
    for (int tries = 1; ; tries++) {
      Optional<TableSnapshot> base = table.base();
      Optional<Draft> draft;
      try {
        draft = drafting.on(base);
      } catch (ArrayMorphException e) {
        PieceWriter.delete(table.path(), data);
        throw e;
      }
      if (draft.isEmpty()) {
        PieceWriter.delete(table.path(), data);
        return base.orElseThrow(table::missing).version();
      }
      try {
        return draft.get().commit.run();
      } catch (TensorCommit.LostRace e) {
        PieceWriter.delete(table.path(), draft.get().own);
        if (tries == MOST_TRIES) {
          PieceWriter.delete(table.path(), data);
          throw new ArrayMorphException(
              ErrorCode.CONCURRENT_WRITE,
              "the commit of tensor '"
                  + tensorId
                  + "' to "
                  + table.path()
                  + " lost "
                  + tries
                  + " races against other commits",
              "Run the write again when fewer writers change this tensor",
              e);
        }
      }
    }
  }

  /** A commit in the making, with the files written for it alone. */
  private final class Draft {
    private final TensorCommit commit;
    private final List<PieceFile> own = new ArrayList<>();

    Draft(Optional<TableSnapshot> base, String tensorId) {
      this.commit = new TensorCommit(table, base, tensorId);
    }

    void header(TensorHeader header) {
      addOwn(List.of(PieceWriter.writeHeader(table.path(), header)));
    }

    private void addOwn(List<PieceFile> files) {
      own.addAll(files);
      commit.add(files);
    }

    /** Takes rows away: removes the file, and writes the rows that stay to new ones. */
    void removeRows(
        TableSnapshot.LiveFile file, java.util.function.Function<FileIndex, IntPredicate> doomed) {
      FileIndex index = reader.index(file.file());
      IntPredicate goes = doomed.apply(index);
      int[] gone = index.rows(goes);
      if (gone.length == 0) {
        return;
      }
      int[] stay = index.rows(goes.negate());
      Map<String, PieceWriter> writers = new LinkedHashMap<>();
      reader.rows(
          index,
          stay,
          row -> {
            if (row.piece() == null) {
              header(HeaderJson.read(row.header()));
            } else {
              writers
                  .computeIfAbsent(
                      row.tensorId(),
                      id ->
                          new PieceWriter(
                              table.path(),
                              id,
                              row.piece().box().rank(),
                              PieceWriter.Settings.DEFAULT))
                  .write(row.piece());
            }
          });
      writers.values().forEach(writer -> addOwn(writer.finish()));
      commit.remove(file);
    }
  }
}
