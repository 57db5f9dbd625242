package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Elements;
import java.util.Iterator;

/**
 * The results of read requests, in order, fetched and decoded ahead of their use.
 *
 * <p>For one thread. {@link #next()} waits for the head of the stream; it throws {@code
 * ArrayMorphException} if that request failed, and with code CANCELLED if the thread is interrupted
 * (its interrupted status stays set) or the stream was closed. Closing cancels what is under way;
 * it may be called from any thread, and again.
 */
public interface ElementStream extends Iterator<Elements>, AutoCloseable {

  /**
   * The packed elements of the next request. They may share memory with other results and must not
   * be changed.
   */
  @Override
  Elements next();

  @Override
  void close();
}
