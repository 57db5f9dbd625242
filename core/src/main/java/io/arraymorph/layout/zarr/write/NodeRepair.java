package io.arraymorph.layout.zarr.write;

import io.arraymorph.store.StorePath;
import java.util.List;

/** Finishes or rolls back what a writer that died left at a target. */
public final class NodeRepair {
  private NodeRepair() {}

  /**
   * Does so; without anything to repair it changes nothing.
   *
   * @param writer who repairs, for people who find the claim
   * @param force true to take over a claim that is not stale yet: only if its writer is known to be
   *     dead, for of two living writers one would be stopped in the middle
   * @return what was found, and what became of it
   * @throws io.arraymorph.ArrayMorphException ARRAY_BEING_WRITTEN if somebody else writes there
   */
  public static List<RecoveryOutcome> repair(StorePath target, String writer, boolean force) {
    ClaimPolicy policy = force ? ClaimPolicy.DEFAULT.forced() : ClaimPolicy.DEFAULT;
    try (TargetClaim claim = TargetClaim.take(target, writer, "repair", policy)) {
      return claim.recovered();
    }
  }
}
