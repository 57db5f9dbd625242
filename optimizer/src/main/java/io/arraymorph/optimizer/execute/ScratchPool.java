package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Elements;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.codec.Scratch;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * As much scratch memory as threads decode at once, used again by all readers of this process until
 * the heap is short of room. Thread-safe.
 */
final class ScratchPool {
  /** The one of this process. */
  static final ScratchPool SHARED = new ScratchPool();

  private final Queue<SoftReference<Scratch>> idle = new ConcurrentLinkedQueue<>();

  /** Decodes a chunk and gives its elements away; they are valid during that call only. */
  void decode(CodecPipeline pipeline, ByteBuffer encoded, Consumer<Elements> use) {
    Scratch scratch = take();
    try {
      use.accept(pipeline.decode(encoded, scratch));
    } finally {
      scratch.rewind();
      idle.add(new SoftReference<>(scratch));
    }
  }

  private Scratch take() {
    SoftReference<Scratch> taken = idle.poll();
    while (taken != null) {
      Scratch scratch = taken.get();
      if (scratch != null) {
        return scratch;
      }
      taken = idle.poll();
    }
    return new Scratch();
  }
}
