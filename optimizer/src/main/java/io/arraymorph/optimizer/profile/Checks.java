package io.arraymorph.optimizer.profile;

/** Bounds on the numbers of a profile. */
final class Checks {
  private Checks() {}

  static void positive(String name, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(name + " is " + value + ", it must be above 0");
    }
  }

  static void notNegative(String name, double value) {
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(name + " is " + value + ", it must be 0 or more");
    }
  }

  static void share(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is " + value + ", it must be from 0 to 1");
    }
  }
}
