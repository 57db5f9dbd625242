package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Elements of a shard by its inner chunks. Those whose bytes come before the others' are decoded
 * and placed meanwhile: all ranges share the pipe and end at about the same time, and so would
 * their decoding.
 */
final class ShardPart extends ChunkPart {
  /** One inner chunk and the elements it has of the shard's selection, in stored space. */
  record Inner(ChunkPart part, Hyperslab stored) {}

  private final CodecPipeline pipeline;
  private final Hyperslab stored;
  private final List<Inner> inner;

  /** Which of {@link #inner} are in their place, or about to be; guarded by itself. */
  private final BitSet placed = new BitSet();

  ShardPart(CodecPipeline pipeline, Hyperslab stored, List<Inner> inner) {
    this.pipeline = pipeline;
    this.stored = stored;
    this.inner = inner;
  }

  @Override
  void require(Batch batch, Piece piece) {
    inner.forEach(i -> i.part().require(batch, piece));
  }

  /** Inner chunks that can be placed as soon as these bytes have come. */
  boolean hasWithin(ObjectBytes bytes) {
    return pipeline.keepsPlaces() && inner.stream().anyMatch(i -> encoded(i, bytes).isPresent());
  }

  private static Optional<ByteBuffer> encoded(Inner inner, ObjectBytes bytes) {
    return inner.part() instanceof Encoded ? ((Encoded) inner.part()).in(bytes) : Optional.empty();
  }

  /** Places the inner chunks that lie in these bytes, each once. */
  void placeFrom(ObjectBytes bytes, ChunkDecoder decoder, ElementsAssembly target, Hyperslab at) {
    for (int i = 0; i < inner.size(); i++) {
      Inner one = inner.get(i);
      Optional<ByteBuffer> encoded = encoded(one, bytes);
      if (encoded.isPresent() && claim(i)) {
        Hyperslab within = ChunkDecoder.positionIn(one.stored(), stored);
        ((Encoded) one.part()).place(encoded.get(), decoder, target, within.within(at));
      }
    }
  }

  private boolean claim(int i) {
    synchronized (placed) {
      boolean first = !placed.get(i);
      placed.set(i);
      return first;
    }
  }

  private List<Inner> left() {
    synchronized (placed) {
      return placed.isEmpty()
          ? inner
          : IntStream.range(0, inner.size())
              .filter(i -> !placed.get(i))
              .mapToObj(inner::get)
              .toList();
    }
  }

  @Override
  boolean isQuick(long bytes) {
    if (bytes <= QUICK_DECODE_BYTES) {
      return true;
    }
    synchronized (placed) {
      return placed.cardinality() == inner.size();
    }
  }

  @Override
  Elements elements(ChunkDecoder decoder) {
    if (pipeline.keepsPlaces() && inner.size() > 1) {
      return decoder.assembled(stored.counts(), (target, at) -> place(decoder, target, at));
    }
    ChunkDecoder.ShardAssembly assembly = decoder.new ShardAssembly(stored);
    inner.forEach(i -> assembly.place(i.part().elements(decoder), i.stored()));
    return assembly.finish(pipeline);
  }

  @Override
  void place(ChunkDecoder decoder, ElementsAssembly target, Hyperslab at) {
    if (pipeline.keepsPlaces()) {
      decoder.forEach(
          left(),
          at,
          i -> {
            Hyperslab within = ChunkDecoder.positionIn(i.stored(), stored);
            i.part().place(decoder, target, within.within(at));
          });
    } else {
      super.place(decoder, target, at);
    }
  }
}
