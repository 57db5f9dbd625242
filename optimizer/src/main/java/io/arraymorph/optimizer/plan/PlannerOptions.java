package io.arraymorph.optimizer.plan;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.cost.PaperCostModel;
import io.arraymorph.optimizer.profile.Location;
import io.arraymorph.optimizer.profile.Refinement;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.optimizer.profile.Transport;
import java.io.Serializable;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * How a user wants reads to be planned. Immutable, and serializable for executors.
 *
 * @param method which planner
 * @param profile of the store; empty to tell it from the store's URI
 * @param phi seconds that a dollar is worth, 0 or more
 * @param hostShare of the host's bandwidth and connections that this reader may use, in (0, 1]
 * @param function true if there is a slice function to call
 * @param refinement whether what this process saw of the store refines the profile
 */
public record PlannerOptions(
    Method method,
    Optional<StoreProfile> profile,
    double phi,
    double hostShare,
    boolean function,
    Refinement refinement)
    implements Serializable {
  /** The planners that can be chosen. */
  public enum Method {
    /** {@link CostPlanner}. */
    AUTO,
    /** {@link FixedPlanner#GET}. */
    GET,
    /** {@link FixedPlanner#RANGE}. */
    RANGE,
    /** {@link FixedPlanner#MERGE}. */
    MERGE,
    /** {@link FunctionPlanner}. */
    LAMBDA,
    /** {@link PaperPlanner} under {@link PaperCostModel}. */
    PAPER
  }

  /** The fastest plan for a host of its own, without slice function. */
  public static final PlannerOptions DEFAULT =
      new PlannerOptions(Method.AUTO, Optional.empty(), 0, 1, false, Refinement.AUTO);

  /** Throws {@link IllegalArgumentException} for values that make no sense. */
  public PlannerOptions {
    Objects.requireNonNull(method);
    Objects.requireNonNull(profile);
    Objects.requireNonNull(refinement);
    if (!(phi >= 0) || !(hostShare > 0) || hostShare > 1) {
      throw new IllegalArgumentException("phi " + phi + ", share of the host " + hostShare);
    }
  }

  /**
   * The options as users write them.
   *
   * @param planner {@code auto}, {@code get}, {@code range}, {@code merge}, {@code lambda} or
   *     {@code paper}
   * @param profile a shipped name or a path, if given
   * @param phi a number of 0 or more, or {@code infinity}, if given
   * @throws ArrayMorphException with INVALID_OPTION, or PROFILE_INVALID for the file of a profile
   */
  public static PlannerOptions parse(
      String planner, Optional<String> profile, Optional<String> phi) {
    Method method = null;
    for (Method candidate : Method.values()) {
      if (candidate
          .name()
          .toLowerCase(Locale.ROOT)
          .equals(planner.trim().toLowerCase(Locale.ROOT))) {
        method = candidate;
      }
    }
    if (method == null) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "planner '" + planner + "' is not known",
          "Use planner=auto, get, range, merge, lambda or paper");
    }
    return new PlannerOptions(
        method,
        profile.map(StoreProfiles::of),
        phi.map(AccessCost::parsePhi).orElse(0.0),
        1,
        false,
        Refinement.AUTO);
  }

  /**
   * As {@link #parse}, with phi as a number.
   *
   * @param phi 0 or more
   */
  public static PlannerOptions of(String planner, Optional<String> profile, double phi) {
    return parse(planner, profile, Optional.of(Double.toString(phi)));
  }

  /** These options for a reader that has a share of the host only. */
  public PlannerOptions withHostShare(double share) {
    return new PlannerOptions(method, profile, phi, share, function, refinement);
  }

  /** These options with or without a slice function. */
  public PlannerOptions withFunction(boolean available) {
    return new PlannerOptions(method, profile, phi, hostShare, available, refinement);
  }

  /** These options with another use of what the process saw of the store. */
  public PlannerOptions withRefinement(Refinement wanted) {
    return new PlannerOptions(method, profile, phi, hostShare, function, wanted);
  }

  /**
   * The planner.
   *
   * @throws ArrayMorphException with INVALID_OPTION for {@code lambda} without a slice function
   */
  public AccessPlanner planner() {
    switch (method) {
      case GET:
        return FixedPlanner.GET;
      case RANGE:
        return FixedPlanner.RANGE;
      case MERGE:
        return FixedPlanner.MERGE;
      case LAMBDA:
        if (!function) {
          throw new ArrayMorphException(
              ErrorCode.INVALID_OPTION,
              "planner 'lambda' was asked for without a slice function",
              "Name one with option slice-function=<URL>, or use planner=auto");
        }
        return new StorePlanner(this, Integer.MAX_VALUE);
      default:
        return new StorePlanner(this, Integer.MAX_VALUE);
    }
  }

  /**
   * The cost model of a store for this reader.
   *
   * @param uri of the store or anything in it
   * @param concurrency the most requests under way at once
   */
  public CostModel model(String uri, int concurrency) {
    StoreProfile found =
        refinement.of(profile.orElseGet(() -> StoreProfiles.detect(uri)), profile.isEmpty(), uri);
    Transport transport = found.transport();
    if (hostShare < 1) {
      transport = transport.share(hostShare);
    }
    int slots = Math.max(1, Math.min(concurrency, transport.concurrency()));
    StoreProfile mine = found.withTransport(transport.withConcurrency(slots));
    return method == Method.PAPER ? new PaperCostModel(mine) : new OverlapCostModel(mine);
  }

  /** True if the profile of a store is a guess that what is seen of it may correct. */
  boolean mayBeCorrected(String uri) {
    return profile.isEmpty()
        && refinement == Refinement.AUTO
        && method == Method.AUTO
        && !StoreProfiles.detect(uri).location().equals(Location.LOCAL);
  }

  /** The planner for a store whose cost model is known. */
  AccessPlanner planner(CostModel model) {
    switch (method) {
      case LAMBDA:
        return new FunctionPlanner(model);
      case PAPER:
        return new PaperPlanner(model, phi, function);
      default:
        return new CostPlanner(model, phi, function);
    }
  }

  private Object writeReplace() {
    return new Sent(method, profile.orElse(null), phi, hostShare, function, refinement);
  }

  /** What travels, for an Optional cannot. */
  private record Sent(
      Method method,
      StoreProfile profile,
      double phi,
      double hostShare,
      boolean function,
      Refinement refinement)
      implements Serializable {
    private Object readResolve() {
      return new PlannerOptions(
          method, Optional.ofNullable(profile), phi, hostShare, function, refinement);
    }
  }
}
