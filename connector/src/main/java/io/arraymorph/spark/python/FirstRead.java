package io.arraymorph.spark.python;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first read of a process, of a tiny array in memory and in the background: Java loads some
 * three hundred classes for it, which the first read of a user need not wait for.
 */
final class FirstRead {
  private static final Logger LOG = LoggerFactory.getLogger(FirstRead.class);
  private static final AtomicBoolean STARTED = new AtomicBoolean();

  private FirstRead() {}

  /** Returns at once; does nothing from the second call on. */
  static void start() {
    if (STARTED.compareAndSet(false, true)) {
      Thread thread = new Thread(FirstRead::run, "arraymorph-first-read");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private static void run() {
    try {
      if (read().count() != 4) {
        throw new IllegalStateException("four elements were written");
      }
    } catch (RuntimeException e) {
      // Users' own reads will say what is wrong.
      LOG.debug("The first read failed", e);
    }
  }

  static Elements read() {
    DataType type = new DataType.Float(FloatFormat.FLOAT32);
    Shape shape = Shape.of(2, 2);
    Shape chunk = Shape.of(1, 2);
    try (MemoryObjectStore store = new MemoryObjectStore("first-read");
        HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
      ZarrArray array =
          ZarrArray.of(
              new StorePath(store, "a"),
              new ZarrArraySpec(
                  type,
                  shape,
                  chunk,
                  Optional.empty(),
                  Compression.ZSTD,
                  ZarrArraySpec.defaultFill(type),
                  List.of("y", "x"),
                  JsonNodeFactory.instance.objectNode()));
      byte[] encoded =
          array.pipeline(chunk).encode(new FixedWidthElements(type, chunk, new byte[8], 0));
      store.put("a/c/0/0", ByteBuffer.wrap(encoded), WriteCondition.NONE).join();
      return reader.read(array, Hyperslab.all(shape));
    }
  }
}
