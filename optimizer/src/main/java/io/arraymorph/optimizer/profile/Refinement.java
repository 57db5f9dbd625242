package io.arraymorph.optimizer.profile;

/** Whether what a process saw of a store changes the profile with which it plans. */
public enum Refinement {
  /** Never: the same query has the same plan. */
  OFF {
    @Override
    Transport of(StoreProfile profile, boolean guessed, ObservedTransport seen) {
      return profile.transport();
    }
  },
  /**
   * Only a profile that nobody named, and only where the store is surely slower than it says. A
   * store that takes long to answer is taken for one over the internet.
   */
  AUTO {
    @Override
    Transport of(StoreProfile profile, boolean guessed, ObservedTransport seen) {
      Transport believed = profile.transport();
      if (!guessed) {
        return believed;
      }
      return seen.correct(
          seen.isFartherThan(believed) ? StoreProfiles.farther(profile).transport() : believed);
    }
  },
  /** Always, faster or slower. */
  ON {
    @Override
    Transport of(StoreProfile profile, boolean guessed, ObservedTransport seen) {
      return seen.refine(profile.transport());
    }
  };

  abstract Transport of(StoreProfile profile, boolean guessed, ObservedTransport seen);

  private static String text(Transport transport) {
    return ObservedTransport.text(transport.latencySeconds(), transport.bandwidth().maximum());
  }

  /**
   * A profile as this process sees it; if it is another one its name says so, with latency and
   * bandwidth as they were seen and as they are now counted with.
   *
   * @param guessed true if nobody named the profile
   * @param uri of the store or anything in it
   */
  public StoreProfile of(StoreProfile profile, boolean guessed, String uri) {
    ObservedTransport seen = ObservedTransport.of(uri);
    Transport transport = of(profile, guessed, seen);
    return transport.equals(profile.transport())
        ? profile
        : profile
            .withTransport(transport)
            .withName(profile.name() + " refined by " + seen + " to " + text(transport));
  }
}
