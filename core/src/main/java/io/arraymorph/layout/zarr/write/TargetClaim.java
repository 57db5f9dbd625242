package io.arraymorph.layout.zarr.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exclusive right to change the node at a target, with all that dead writers left cleaned up:
 * the way into every write.
 *
 * <p>Close it in any case. Thread-safe.
 */
public final class TargetClaim implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TargetClaim.class);

  private final TargetObjects objects;
  private final ArrayClaim claim;
  private final String writer;
  private final List<RecoveryOutcome> recovered;

  /** Folders below the target that are neither chunks nor this package's own. */
  private final List<String> children;

  private TargetClaim(
      TargetObjects objects,
      ArrayClaim claim,
      String writer,
      List<RecoveryOutcome> recovered,
      List<String> children) {
    this.children = children;
    this.objects = objects;
    this.claim = claim;
    this.writer = writer;
    this.recovered = recovered;
  }

  /**
   * Takes the claim and recovers what is unfinished.
   *
   * @param target where the node is or will be
   * @param writer who, for people who find the claim; no credentials
   * @param operation what for, for people: {@code append}, {@code overwrite}, ..
   * @throws ArrayMorphException ARRAY_BEING_WRITTEN if somebody else writes there
   */
  public static TargetClaim take(
      StorePath target, String writer, String operation, ClaimPolicy policy) {
    if (target.key().isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_URI,
          target + " is the root of a store",
          "Write to a path in it, so that nothing else is there");
    }
    TargetObjects objects = new TargetObjects(target);
    ClaimRecord wanted =
        new ClaimRecord(
            UUID.randomUUID().toString(), writer, operation, Instant.now().toString(), 0);
    return StoreFailures.toUser(
        () -> {
          ArrayClaim claim = ArrayClaim.take(objects, wanted, policy);
          try {
            List<String> children = children(objects);
            refuseOtherClaims(objects, children);
            return new TargetClaim(
                objects, claim, writer, new Recovery(objects, claim).run(), children);
          } catch (RuntimeException failure) {
            try {
              claim.release();
            } catch (StoreException again) {
              failure.addSuppressed(again);
            }
            throw failure;
          }
        });
  }

  /** What was found unfinished, and what became of it. */
  public List<RecoveryOutcome> recovered() {
    return recovered;
  }

  /** Names this write; the generation of the arrays it creates or replaces. */
  public String uuid() {
    return claim.uuid();
  }

  /** The target. */
  public StorePath target() {
    return objects.target();
  }

  /** True if there is a node, of Zarr v3 or v2. */
  public boolean exists() {
    return StoreFailures.toUser(() -> NodeDocuments.exists(objects, ""));
  }

  /**
   * Begins to create a node.
   *
   * @param members the arrays of a group relative to the target; one empty name for an array
   * @throws ArrayMorphException ARRAY_EXISTS if there is one, or if others lie below: nobody would
   *     find them any more
   */
  public NodeCreation create(List<String> members) {
    return StoreFailures.toUser(
        () -> {
          for (String child : children) {
            if (!members.contains(child) && NodeDocuments.exists(objects, child)) {
              throw new ArrayMorphException(
                  ErrorCode.ARRAY_EXISTS,
                  objects.target() + " is a folder that holds the array or group " + child,
                  "Write to another path, or delete what is there first");
            }
          }
          return NodeCreation.begin(objects, claim, members);
        });
  }

  /** Begins to grow the array or group that is there. */
  public NodeAppend append() {
    return StoreFailures.toUser(() -> NodeAppend.begin(objects, claim));
  }

  /** Begins to replace the node that is there. */
  public NodeReplacement replace() {
    return StoreFailures.toUser(() -> NodeReplacement.begin(objects, claim, writer));
  }

  /** Fails if the claim is not held any more. */
  void ensureHeld() {
    claim.ensureHeld();
  }

  /** Gives the claim back. */
  @Override
  public void close() {
    try {
      claim.release();
    } catch (StoreException failure) {
      // The write itself has its result; the claim that is left goes stale.
      LOG.warn("Claim on {} could not be given back", objects.target(), failure);
    }
  }

  /** Another writer may hold the claim of a group above, or of a member below. */
  private static void refuseOtherClaims(TargetObjects objects, List<String> children) {
    StorePath target = objects.target();
    for (int slash = target.key().lastIndexOf('/');
        slash > 0;
        slash = target.key().lastIndexOf('/', slash - 1)) {
      StorePath above = new StorePath(target.store(), target.key().substring(0, slash));
      if (new TargetObjects(above).head(ArrayClaim.KEY).isPresent()) {
        throw nested(above);
      }
    }
    for (String child : children) {
      if (objects.head(child + "/" + ArrayClaim.KEY).isPresent()) {
        throw nested(objects.path(child));
      }
    }
  }

  private static List<String> children(TargetObjects objects) {
    return objects.directories("").stream()
        .filter(directory -> !directory.equals(StagingArea.PRIVATE))
        .map(directory -> directory.substring(0, directory.length() - 1))
        .filter(child -> !ZarrKeys.isChunk(child))
        .toList();
  }

  private static ArrayMorphException nested(StorePath node) {
    return ArrayClaim.beingWritten(
        node, "another writer whose claim lies there", ClaimPolicy.DEFAULT.staleAge());
  }
}
