package io.arraymorph.optimizer.profile;

/** Where the reader runs, seen from the store; it decides what moving bytes costs. */
public enum Location {
  /** On the reader's own disks. */
  LOCAL("local"),
  /** In the store's region, by a free path. */
  IN_REGION("in-region"),
  /** In another region of the same cloud. */
  CROSS_REGION("cross-region"),
  /** In the store's region, through a gateway that charges for bytes. */
  NAT("nat"),
  /** Outside the cloud. */
  INTERNET("internet");

  private final String label;

  Location(String label) {
    this.label = label;
  }

  /** The name in profile files. */
  public String label() {
    return label;
  }
}
