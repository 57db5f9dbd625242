package io.arraymorph.optimizer.execute;

import io.arraymorph.store.StorePath;

/**
 * How much of a stream is under way or waits for its consumer. Not thread-safe: its stream guards
 * it.
 *
 * <p>A store across a network needs many bytes under way to hide its latency. A store on this
 * machine has none to hide, and what is read far ahead of it falls out of the processor's caches
 * before it is used (measured: half the speed), so there the window is small.
 *
 * <p>Two batches that read one object at once hold it twice, and stay within the window all the
 * same: each takes {@link Room} of its own for the object.
 */
final class ReadWindow {
  private static final long NEAR_BYTES = 16L << 20;

  /** Requests that may always be under way, so that reading and using overlap. */
  private static final int LEAST = 2;

  private final ReadSettings settings;
  private final int leastPieces;
  private long limit;
  private int pieces;
  private long bytesOfPieces;
  private int requests;
  private long bytesOfResults;

  ReadWindow(ReadSettings settings) {
    this.settings = settings;
    this.leastPieces = Math.max(LEAST, settings.decodeThreads());
    this.limit = settings.windowBytes();
  }

  private static boolean isNear(StorePath path) {
    String uri = path.storeUri();
    return uri.startsWith("file:") || uri.startsWith("memory:");
  }

  /** True if enough has ended that another batch is worth planning. */
  boolean hasRoom() {
    return pieces == 0
        || (pieces <= settings.windowChunks() / 2
            && (bytesOfPieces <= limit / 2 || pieces < leastPieces));
  }

  /** Takes room for the result of a request; false if there is none. */
  boolean open(StorePath array, long resultBytes) {
    limit = settings.windowBytes();
    if (isNear(array)) {
      limit = Math.min(limit, NEAR_BYTES);
    }
    long ahead = bytesOfResults + bytesOfPieces + resultBytes;
    long most = requests < LEAST ? settings.windowBytes() : limit;
    if (requests > 0 && (requests >= settings.windowChunks() || ahead > most)) {
      return false;
    }
    requests++;
    bytesOfResults += resultBytes;
    return true;
  }

  /** Gives back the room of a result that was handed out. */
  void handedOut(long resultBytes) {
    requests--;
    bytesOfResults -= resultBytes;
  }

  /**
   * What the pieces of one object hold that are read together: they share what is fetched and
   * decoded of it.
   */
  static final class Room {
    private final long most;
    private long wanted;

    /**
     * @param most bytes that all of them hold together
     */
    Room(long most) {
      this.most = most;
    }

    private long taken() {
      return Math.min(wanted, most);
    }
  }

  /** Takes room for a piece; false if there is none. A piece alone is always let in. */
  boolean admit(long cost, Room room) {
    long most = pieces < leastPieces ? settings.windowBytes() : limit;
    long before = room.taken();
    room.wanted += cost;
    long more = room.taken() - before;
    if (pieces > 0 && (pieces >= settings.windowChunks() || bytesOfPieces + more > most)) {
      room.wanted -= cost;
      return false;
    }
    pieces++;
    bytesOfPieces += more;
    return true;
  }

  /** Gives back the room of a piece. */
  void ended(long cost, Room room) {
    pieces--;
    bytesOfPieces -= room.taken();
    room.wanted -= cost;
    bytesOfPieces += room.taken();
  }
}
