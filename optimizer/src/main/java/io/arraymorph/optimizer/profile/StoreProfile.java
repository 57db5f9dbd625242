package io.arraymorph.optimizer.profile;

import java.io.Serializable;
import java.time.LocalDate;
import java.util.Objects;
import java.util.Optional;

/**
 * What the cost of a request to one kind of store from one kind of place depends on.
 *
 * <p>Immutable, and serializable, for it travels to executors.
 *
 * @param name as users choose it, as {@code s3.in-region}
 * @param date when its numbers were looked up or measured
 * @param provenance where they come from
 * @param location where the reader runs, seen from the store
 * @param transport latency and bandwidth
 * @param prices what the store charges
 * @param function what a slice function beside the store can do and charges, if there may be one
 */
public record StoreProfile(
    String name,
    LocalDate date,
    Provenance provenance,
    Location location,
    Transport transport,
    Prices prices,
    Optional<FunctionProfile> function)
    implements Serializable {

  /** Throws if something is null. */
  public StoreProfile {
    Objects.requireNonNull(name);
    Objects.requireNonNull(date);
    Objects.requireNonNull(provenance);
    Objects.requireNonNull(location);
    Objects.requireNonNull(transport);
    Objects.requireNonNull(prices);
    Objects.requireNonNull(function);
  }

  /** This profile with another latency and bandwidth. */
  public StoreProfile withTransport(Transport value) {
    return new StoreProfile(name, date, provenance, location, value, prices, function);
  }

  /** This profile by another name. */
  public StoreProfile withName(String value) {
    return new StoreProfile(value, date, provenance, location, transport, prices, function);
  }

  /** This profile with other prices. */
  public StoreProfile withPrices(Prices value) {
    return new StoreProfile(name, date, provenance, location, transport, value, function);
  }

  /** This profile with another slice function, or without one. */
  public StoreProfile withFunction(Optional<FunctionProfile> value) {
    return new StoreProfile(name, date, provenance, location, transport, prices, value);
  }

  /** Travels to executors as the text of its file. */
  private Object writeReplace() {
    return new Text(ProfileJson.write(this));
  }

  private record Text(String json) implements Serializable {
    private Object readResolve() {
      return ProfileJson.parse(json, "of the driver");
    }
  }
}
