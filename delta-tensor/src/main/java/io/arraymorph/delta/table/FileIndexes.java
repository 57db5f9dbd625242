package io.arraymorph.delta.table;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Indexes of data files that were read before: files never change, so an index holds as long as the
 * file. Bounded in rows and files, the least recently used goes first. Thread-safe; two threads may
 * both load what neither finds.
 */
final class FileIndexes {
  private static final int MOST_FILES = 256;
  private static final long MOST_ROWS = 400_000;

  private final Map<DataFile, FileIndex> held = new LinkedHashMap<>(16, 0.75f, true);
  private long rows;

  FileIndex get(DataFile file, Function<DataFile, FileIndex> load) {
    synchronized (held) {
      FileIndex index = held.get(file);
      if (index != null) {
        return index;
      }
    }
    FileIndex loaded = load.apply(file);
    synchronized (held) {
      FileIndex before = held.put(file, loaded);
      rows += loaded.rows() - (before == null ? 0 : before.rows());
      var oldest = held.entrySet().iterator();
      while ((held.size() > MOST_FILES || rows > MOST_ROWS) && held.size() > 1) {
        rows -= oldest.next().getValue().rows();
        oldest.remove();
      }
    }
    return loaded;
  }
}
