package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StorePath;
import io.delta.kernel.Snapshot;
import io.delta.kernel.SnapshotBuilder;
import io.delta.kernel.TableManager;
import io.delta.kernel.Transaction;
import io.delta.kernel.TransactionCommitResult;
import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.exceptions.TableNotFoundException;
import io.delta.kernel.hook.PostCommitHook;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterable;
import io.delta.kernel.utils.CloseableIterator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Delta table at a path: create it, and load its versions. Thread-safe. */
final class TensorTable {
  static final String ENGINE_INFO = "arraymorph";

  private static final Logger LOG = LoggerFactory.getLogger(TensorTable.class);

  private final StorePath path;
  private final LogListing log;
  private final Engine engine;

  TensorTable(StorePath path) {
    this.path = path;
    this.log = new LogListing(path.store());
    this.engine = DefaultEngine.create(new StoreFileIO(path.store(), log));
  }

  StorePath path() {
    return path;
  }

  /** The newest version, or empty if there is no Delta table. */
  Optional<TableSnapshot> latest() {
    log.beginReading();
    return load(loader());
  }

  /** The newest version to build a commit on, or empty if there is no Delta table. */
  Optional<TableSnapshot> base() {
    return load(loader());
  }

  /** A version by number; OUT_OF_BOUNDS if the log does not hold it. */
  TableSnapshot atVersion(long version) {
    log.beginReading();
    return load(loader().atVersion(version)).orElseThrow(this::missing);
  }

  /** The newest version committed at or before a time in milliseconds since 1970. */
  TableSnapshot atTimestamp(long millis) {
    TableSnapshot latest = latest().orElseThrow(this::missing);
    if (latest.kernel().getTimestamp(engine) <= millis) {
      return latest;
    }
    log.beginReading();
    return load(loader().atTimestamp(millis, latest.kernel())).orElseThrow(this::missing);
  }

  ArrayMorphException missing() {
    return new ArrayMorphException(
        ErrorCode.NOT_A_TENSOR_TABLE,
        "there is no Delta table at " + path,
        "Check the path, or write a tensor there first");
  }

  private SnapshotBuilder loader() {
    return TableManager.loadSnapshot(StoreFileIO.path(path.key()));
  }

  private Optional<TableSnapshot> load(SnapshotBuilder loader) {
    try {
      Snapshot snapshot = loader.build(engine);
      return Optional.of(new TableSnapshot(path, engine, snapshot));
    } catch (TableNotFoundException e) {
      return Optional.empty();
    } catch (KernelException | IllegalArgumentException e) {
      throw new ArrayMorphException(
          ErrorCode.OUT_OF_BOUNDS,
          "the version asked for of " + path + " cannot be loaded: " + e.getMessage(),
          "Choose a version that the table's log still holds",
          e);
    } catch (UncheckedIOException e) {
      throw unreadable(e);
    } finally {
      log.endLoad();
    }
  }

  private ArrayMorphException unreadable(Exception e) {
    return new ArrayMorphException(
        ErrorCode.STORE_UNAVAILABLE,
        "the log of " + path + " cannot be read: " + e.getMessage(),
        "Check the store and run again",
        e);
  }

  /** A transaction that creates the table. */
  Transaction creation(StructType schema, Map<String, String> properties) {
    return TableManager.buildCreateTableTransaction(
            StoreFileIO.path(path.key()), schema, ENGINE_INFO)
        .withTableProperties(properties)
        .build(engine);
  }

  Engine engine() {
    return engine;
  }

  /** Commits and runs what is to be done afterwards: checkpoints and checksums. */
  long commit(Transaction transaction, CloseableIterable<Row> actions) {
    TransactionCommitResult result = transaction.commit(engine, actions);
    for (PostCommitHook hook : result.getPostCommitHooks()) {
      try {
        hook.threadSafeInvoke(engine);
      } catch (IOException | RuntimeException e) {
        // The commit stands; the next writer does what was left undone.
        LOG.warn("{}: {} after version {} failed", path, hook.getType(), result.getVersion(), e);
      }
    }
    return result.getVersion();
  }

  /** A single use view of an iterator. */
  static <T> CloseableIterator<T> closeable(java.util.Iterator<T> items) {
    return io.delta.kernel.internal.util.Utils.toCloseableIterator(items);
  }
}
