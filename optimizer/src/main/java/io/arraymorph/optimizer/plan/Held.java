package io.arraymorph.optimizer.plan;

/**
 * What the memory of a reader holds of a stored object, so that no request is made for it.
 *
 * @param chunks needed chunks (inner chunks of a shard) that are held
 * @param bytes of these chunks, decoded
 * @param index true if the index of the shard is held
 */
public record Held(long chunks, long bytes, boolean index) {
  /** Nothing is held. */
  public static final Held NONE = new Held(0, 0, false);

  /** Throws {@link IllegalArgumentException} if a number is negative. */
  public Held {
    if (chunks < 0 || bytes < 0) {
      throw new IllegalArgumentException(chunks + " chunks of " + bytes + " bytes");
    }
  }

  /** The same of so many objects. */
  Held times(long objects) {
    return new Held(Math.multiplyExact(chunks, objects), Math.multiplyExact(bytes, objects), index);
  }

  /** Some chunks of the same object, or of another one. */
  public Held plus(Held other) {
    return new Held(
        Math.addExact(chunks, other.chunks),
        Math.addExact(bytes, other.bytes),
        index || other.index);
  }
}
