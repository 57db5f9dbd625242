package io.arraymorph.layout.zarr.write;

import io.arraymorph.store.WriteCondition;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finishes or rolls back what dead writers left ({@code docs/spec/writing.md}, section 7). */
final class Recovery {
  private final TargetObjects objects;
  private final ArrayClaim claim;

  Recovery(TargetObjects objects, ArrayClaim claim) {
    this.objects = objects;
    this.claim = claim;
  }

  /** Does so for every staging area below the target. */
  List<RecoveryOutcome> run() {
    Set<String> unfinished = new LinkedHashSet<>();
    for (String directory : objects.directories(StagingArea.ALL)) {
      unfinished.add(StagingArea.holding(directory).uuid());
    }
    List<RecoveryOutcome> outcomes = new ArrayList<>();
    for (String uuid : unfinished) {
      outcomes.add(new RecoveryOutcome(uuid, recover(uuid)));
    }
    return outcomes;
  }

  private RecoveryOutcome.Result recover(String uuid) {
    StagingArea staging = new StagingArea(uuid);
    Optional<TargetObjects.Versioned> stored = objects.read(staging.commitRecord());
    if (stored.isPresent()) {
      CommitRecord record =
          CommitRecord.parse(stored.get().json(objects.path(staging.commitRecord()).toString()));
      if (record.operation() == CommitRecord.Operation.APPEND) {
        NodeAppend.publish(objects, claim, staging, record);
      } else {
        NodeReplacement.publish(objects, claim, "repair", staging, record);
      }
      deleteStaging(objects, claim, uuid);
      return RecoveryOutcome.Result.FINISHED;
    }
    boolean created = NodeDocuments.generation(objects, ZarrKeys.DOCUMENT).equals(uuid);
    if (!created) {
      NodeCreation.rollBack(objects, claim, uuid, NodeCreation.intended(objects, uuid));
    }
    deleteStaging(objects, claim, uuid);
    return created ? RecoveryOutcome.Result.FINISHED : RecoveryOutcome.Result.ROLLED_BACK;
  }

  /** Deletes a staging area, what recovery looks at last: another death must find it again. */
  static void deleteStaging(TargetObjects objects, ArrayClaim claim, String uuid) {
    StagingArea staging = new StagingArea(uuid);
    List<String> keys = objects.keys(staging.root());
    List<String> last = new ArrayList<>();
    last.add(staging.root() + "begin.json");
    last.add(staging.commitRecord());
    List<String> first = new ArrayList<>(keys);
    first.removeAll(last);
    last.retainAll(keys);
    claim.ensureHeld();
    if (last.contains(staging.commitRecord())) {
      // Once published or rolled back, nobody may finish from a staging area that is half gone.
      objects.delete(staging.commitRecord(), WriteCondition.NONE);
      last.remove(staging.commitRecord());
    }
    objects.deleteAll(first);
    objects.deleteAll(last);
  }
}
