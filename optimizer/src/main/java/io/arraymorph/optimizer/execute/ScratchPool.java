package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Elements;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.codec.Scratch;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** As much scratch memory as threads decode at once, for the life of a reader. Thread-safe. */
final class ScratchPool {
  private final Queue<Scratch> idle = new ConcurrentLinkedQueue<>();

  /** Decodes a chunk and gives its elements away; they are valid during that call only. */
  void decode(CodecPipeline pipeline, ByteBuffer encoded, Consumer<Elements> use) {
    Scratch taken = idle.poll();
    Scratch scratch = taken == null ? new Scratch() : taken;
    try {
      use.accept(pipeline.decode(encoded, scratch));
    } finally {
      idle.add(scratch);
    }
  }
}
