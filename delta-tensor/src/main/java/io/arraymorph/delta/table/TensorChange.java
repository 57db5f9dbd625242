package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorHeader;
import io.delta.kernel.types.StructType;
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
  private final TableForm form;

  /**
   * @param form of the table, should there be none yet
   */
  TensorChange(TensorTable table, TableReader reader, TableForm form) {
    this.table = table;
    this.reader = reader;
    this.form = form;
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
          base.ifPresent(b -> checkForm(b, header));
          Optional<TensorHeader> before = base.flatMap(b -> header(b, header.tensorId()));
          if (before.isPresent() && isRepeated(before.get(), header)) {
            return Optional.empty();
          }
          if (before.isPresent() && mode == WriteMode.CREATE) {
            throw new ArrayMorphException(
                ErrorCode.ARRAY_EXISTS,
                "tensor '" + header.tensorId() + "' is already in " + table.path(),
                "Overwrite it (in Python mode=\"replace\"), or use another tensor id");
          }
          Draft draft = new Draft(base, header.tensorId());
          if (before.isPresent()) {
            draft.removeAll(header.tensorId());
          }
          draft.header(withCommits(header, before));
          draft.commit.add(data);
          return Optional.of(draft);
        });
  }

  private static boolean isRepeated(TensorHeader before, TensorHeader header) {
    String commit = header.attributes().get(COMMIT_ATTRIBUTE);
    return commit != null && isRepeated(before, commit);
  }

  /** True if a tensor has a commit with this id, or one of the same query with a later number. */
  public static boolean isRepeated(TensorHeader before, String commit) {
    Optional<Epoch> epoch = Epoch.of(commit);
    String last = epoch.map(e -> before.attributes().get(e.attribute())).orElse(null);
    return commit.equals(before.attributes().get(COMMIT_ATTRIBUTE))
        || (last != null && Long.parseLong(last) >= epoch.get().number());
  }

  /** A commit id of the form {@code query:number}, of which the numbers of a query rise. */
  private record Epoch(String query, long number) {
    static Optional<Epoch> of(String commit) {
      int colon = commit.lastIndexOf(':');
      String number = commit.substring(colon + 1);
      return colon > 0 && number.matches("[0-9]{1,18}")
          ? Optional.of(new Epoch(commit.substring(0, colon), Long.parseLong(number)))
          : Optional.empty();
    }

    String attribute() {
      return COMMIT_ATTRIBUTE + "." + query;
    }
  }

  /** The header with the last number of each query that ever wrote the tensor. */
  private static TensorHeader withCommits(TensorHeader header, Optional<TensorHeader> before) {
    TensorHeader with = header;
    if (before.isPresent()) {
      for (Map.Entry<String, String> a : before.get().attributes().entrySet()) {
        if (a.getKey().startsWith(COMMIT_ATTRIBUTE + ".")) {
          with = with.withAttribute(a.getKey(), a.getValue());
        }
      }
    }
    Optional<Epoch> epoch =
        Optional.ofNullable(header.attributes().get(COMMIT_ATTRIBUTE)).flatMap(Epoch::of);
    return epoch.isPresent()
        ? with.withAttribute(epoch.get().attribute(), String.valueOf(epoch.get().number()))
        : with;
  }

  private static List<String> typesOf(StructType schema) {
    return schema.fields().stream().map(field -> field.getDataType().toString()).toList();
  }

  /** Refuses to mix forms: a flat table holds one tensor, a paper's table one layout. */
  private void checkForm(TableSnapshot base, TensorHeader header) {
    Optional<TensorHeader> other = base.flat().filter(f -> !f.tensorId().equals(header.tensorId()));
    boolean fits = base.form() == form && other.isEmpty();
    if (fits && form == TableForm.FLAT) {
      fits = hasColumns(base, FlatColumns.deltaSchema(header));
    } else if (fits && form == TableForm.PAPER) {
      fits = hasColumns(base, PaperColumns.deltaSchema(PaperColumns.layout(header)));
    }
    if (!fits) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "tensor '"
              + header.tensorId()
              + "' cannot be written with layout="
              + form.label()
              + " to "
              + table.path()
              + ", which has layout="
              + base.form().label()
              + other.map(f -> " of tensor '" + f.tensorId() + "'").orElse("")
              + (base.form() == TableForm.COMPACT ? "" : " and " + base.kernel().getSchema()),
          "A table has one layout, and columns that stay the same; write to another path");
    }
  }

  private static boolean hasColumns(TableSnapshot base, StructType schema) {
    StructType has = base.kernel().getSchema();
    return schema.fieldNames().equals(has.fieldNames()) && typesOf(schema).equals(typesOf(has));
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
            if (!base.isFlat()) {
              draft.removeRows(
                  file,
                  index ->
                      row -> index.isHeader(row) && index.tensor(row).equals(header.tensorId()));
            }
          }
          draft.header(withCommits(header, before));
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
          draft.removeAll(tensorId);
          if (base.isFlat()) {
            draft.commit.withoutFlat();
          } else if (base.form() == TableForm.PAPER) {
            draft.commit.withoutPaper();
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
    private final Optional<TableSnapshot> base;
    private final TensorCommit commit;
    private final List<PieceFile> own = new ArrayList<>();

    Draft(Optional<TableSnapshot> base, String tensorId) {
      this.base = base;
      this.commit = new TensorCommit(table, base, tensorId);
    }

    private TableForm form() {
      return base.map(TableSnapshot::form).orElse(form);
    }

    void header(TensorHeader header) {
      if (form() == TableForm.FLAT) {
        commit.flat(header);
        return;
      }
      if (form() == TableForm.PAPER) {
        commit.paper(header);
        return;
      }
      addOwn(List.of(PieceWriter.writeHeader(table.path(), header)));
    }

    private void addOwn(List<PieceFile> files) {
      own.addAll(files);
      commit.add(files);
    }

    /** Takes all rows of a tensor away. */
    void removeAll(String tensorId) {
      if (form() == TableForm.FLAT) {
        base.orElseThrow().allFiles().forEach(commit::remove);
        return;
      }
      if (form() == TableForm.PAPER) {
        PaperFiles.of(base.orElseThrow(), tensorId, reader.paper()).forEach(commit::remove);
        return;
      }
      for (TableSnapshot.LiveFile file : base.orElseThrow().filesOf(tensorId)) {
        removeRows(file, index -> row -> index.tensor(row).equals(tensorId));
      }
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
