package io.arraymorph.spark.delta;

import io.arraymorph.spark.SessionSettings;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import io.delta.storage.HadoopFileSystemLogStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * A log store for delta-spark and Delta Kernel by which any number of drivers may write one table:
 * a log entry is one put-if-absent (S3: {@code If-None-Match: *}), so exactly one writer gets a
 * version and the others try the next one.
 *
 * <p>Set {@code spark.delta.logStore.s3a.impl} (and {@code io.delta.kernel.logStore.s3a.impl}) to
 * the name of this class. Writes go through this project's object stores, which know conditional
 * puts whatever Hadoop's version is; reads and listings stay with Hadoop. Our own writes of tensors
 * do the same without any setting. Delta's default for S3 lets two drivers overwrite each other's
 * commits.
 *
 * <p>Thread-safe.
 */
public final class ConditionalLogStore extends HadoopFileSystemLogStore {

  /** Made by Delta, by reflection. */
  public ConditionalLogStore(Configuration hadoop) {
    super(hadoop);
  }

  /**
   * Writes a log entry at once: nobody sees a part of it.
   *
   * @throws FileAlreadyExistsException if the entry exists with other content and {@code overwrite}
   *     is false; the same content means that an earlier try had arrived unheard
   */
  @Override
  public void write(Path path, Iterator<String> actions, Boolean overwrite, Configuration hadoop)
      throws IOException {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    while (actions.hasNext()) {
      lines.writeBytes((actions.next() + "\n").getBytes(StandardCharsets.UTF_8));
    }
    byte[] entry = lines.toByteArray();
    String uri = path.getFileSystem(hadoop).makeQualified(path).toUri().toString();
    StorePath target = ObjectStores.open(uri, SessionSettings.storeConfig(uri, hadoop));
    WriteCondition condition = overwrite ? WriteCondition.NONE : WriteCondition.IF_ABSENT;
    try {
      await(target.store().put(target.key(), ByteBuffer.wrap(entry), condition), target);
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.PRECONDITION_FAILED) {
        throw new IOException(e);
      }
      if (!ByteBuffer.wrap(entry).equals(read(target))) {
        FileAlreadyExistsException exists = new FileAlreadyExistsException(path.toString());
        exists.initCause(e);
        throw exists;
      }
    }
  }

  private static ByteBuffer read(StorePath path) throws IOException {
    try {
      ObjectBytes found =
          await(path.store().get(path.key(), ByteRange.WHOLE, ReadCondition.NONE), path);
      return found.bytes();
    } catch (StoreException e) {
      throw new IOException(e);
    }
  }

  private static <T> T await(CompletableFuture<T> answer, StorePath path) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw StoreException.of(e, path.toString());
    }
  }

  @Override
  public Boolean isPartialWriteVisible(Path path, Configuration hadoop) {
    return false;
  }
}
