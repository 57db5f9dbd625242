package io.arraymorph.spark.write;

import io.arraymorph.layout.zarr.write.NodeRepair;
import io.arraymorph.layout.zarr.write.RecoveryOutcome;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.store.ObjectStores;
import java.util.List;
import java.util.Map;

/** Finishes or rolls back a write whose process has died, with the session's settings. */
public final class ArrayRepair {
  private ArrayRepair() {}

  /**
   * Repairs what is at a path.
   *
   * @param path of the array or group, as it was given to {@code save}
   * @param options of stores, as {@code fs.s3a.*}; may be empty
   * @param force true if the writer that holds the claim is known to be dead; else its claim must
   *     be stale (five minutes)
   * @return one line for each unfinished write that was found, as {@code 52a9..: FINISHED}
   */
  public static List<String> repair(String path, Map<String, String> options, boolean force) {
    List<RecoveryOutcome> outcomes =
        NodeRepair.repair(
            ObjectStores.open(path, SessionSettings.storeConfig(path, options)), "repair", force);
    return outcomes.stream().map(outcome -> outcome.uuid() + ": " + outcome.result()).toList();
  }
}
