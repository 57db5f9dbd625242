package io.arraymorph.layout.zarr.write;

import java.io.Serializable;

/**
 * What a task needs to know of the write it belongs to.
 *
 * @param uuid names the write
 * @param placement where complete chunk objects go
 * @param duplicates what a second value for a cell means
 */
public record WriteTicket(String uuid, Placement placement, Duplicates duplicates)
    implements Serializable {

  /** Where complete chunk objects are put. */
  public enum Placement {
    /** At their final keys, for nobody sees them yet. */
    IN_PLACE,
    /** In the staging area, for their final keys are in use. */
    STAGED
  }

  /** What a second value for one cell means. */
  public enum Duplicates {
    /** DUPLICATE_CELL. */
    ERROR,
    /** The later one counts. */
    LAST
  }

  /** Where a chunk object with this final key is put. */
  String dataKey(String key) {
    return placement == Placement.IN_PLACE ? key : new StagingArea(uuid).data() + key;
  }
}
