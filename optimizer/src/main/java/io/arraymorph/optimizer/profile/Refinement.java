package io.arraymorph.optimizer.profile;

/** Whether what a process saw of a store changes the profile with which it plans. */
public enum Refinement {
  /** Never: the same query has the same plan. */
  OFF {
    @Override
    Transport of(Transport believed, boolean guessed, ObservedTransport seen) {
      return believed;
    }
  },
  /** Only a profile that nobody named, and only where the store is surely slower than it says. */
  AUTO {
    @Override
    Transport of(Transport believed, boolean guessed, ObservedTransport seen) {
      return guessed ? seen.correct(believed) : believed;
    }
  },
  /** Always, faster or slower. */
  ON {
    @Override
    Transport of(Transport believed, boolean guessed, ObservedTransport seen) {
      return seen.refine(believed);
    }
  };

  abstract Transport of(Transport believed, boolean guessed, ObservedTransport seen);

  /**
   * A profile as this process sees it; its name says so if it is another one.
   *
   * @param guessed true if nobody named the profile
   * @param uri of the store or anything in it
   */
  public StoreProfile of(StoreProfile profile, boolean guessed, String uri) {
    ObservedTransport seen = ObservedTransport.of(uri);
    Transport transport = of(profile.transport(), guessed, seen);
    return transport.equals(profile.transport())
        ? profile
        : profile
            .withTransport(transport)
            .withName(profile.name() + " refined by " + seen.requests() + " requests");
  }
}
