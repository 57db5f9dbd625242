package io.arraymorph.layout.zarr.write;

/**
 * What recovery did about one unfinished write.
 *
 * @param uuid names that write
 * @param result what became of it
 */
public record RecoveryOutcome(String uuid, Result result) {

  /** What became of an unfinished write. */
  public enum Result {
    /** It is as if it had never begun. */
    ROLLED_BACK,
    /** It was complete and is visible now. */
    FINISHED
  }
}
