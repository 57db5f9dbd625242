package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Decoding with all threads of a reader. */
@Timeout(60)
class DecodeThreadsTest {
  private static final VarHandle VALUE =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final DecodeThreads threads = new DecodeThreads(3);

  @AfterEach
  void shutdown() {
    threads.shutdown();
  }

  @Test
  void doesEachNumberOnce() {
    AtomicIntegerArray done = new AtomicIntegerArray(1000);
    threads.forEach(1000, done::incrementAndGet);
    for (int i = 0; i < 1000; i++) {
      assertThat(done.get(i)).isOne();
    }
    threads.forEach(0, i -> done.set(i, 5));
  }

  @Test
  void idleThreadsTakePart() {
    CountDownLatch all = new CountDownLatch(4);
    Set<Thread> took = ConcurrentHashMap.newKeySet();
    threads.forEach(
        4,
        i -> {
          took.add(Thread.currentThread());
          all.countDown();
          await(all); // Comes only when four threads are here at once.
        });
    assertThat(took).hasSize(4).contains(Thread.currentThread());
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theFirstFailureEndsIt() {
    AtomicIntegerArray done = new AtomicIntegerArray(1);
    assertThatThrownBy(
            () ->
                threads.forEach(
                    1_000_000,
                    i -> {
                      done.incrementAndGet(0);
                      throw new IllegalArgumentException("bad " + i);
                    }))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(done.get(0)).isLessThanOrEqualTo(4);
  }

  @Test
  void busyOrEndedThreadsAreNotWaitedFor() {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(6);
    for (int i = 0; i < 6; i++) {
      threads.execute(
          () -> {
            await(release);
            released.countDown();
          });
    }
    Set<Thread> took = ConcurrentHashMap.newKeySet();
    threads.forEach(100, i -> took.add(Thread.currentThread()));
    assertThat(took).containsExactly(Thread.currentThread());
    release.countDown();
    await(released);
    threads.shutdown();
    threads.forEach(100, i -> took.add(Thread.currentThread()));
    assertThat(took).containsExactly(Thread.currentThread());
  }

  @Test
  void aSingleShardIsDecodedByAllThreads() {
    StorePath path = new StorePath(new MemoryObjectStore("shard"), "a");
    Shape shape = Shape.of(64, 64, 512);
    ZarrArray array =
        HyperslabReaderTest.store(
            path, shape, Shape.of(16, 16, 512), shape, Compression.parse("zstd"));
    for (AccessPlanner planner : List.of(PlannerOptions.DEFAULT.planner(), GapPlanner.DEFAULT)) {
      ReadSettings settings = ReadSettings.DEFAULT.withPlanner(planner).withDecodeThreads(2);
      Set<Thread> decoders = ConcurrentHashMap.newKeySet();
      CountDownLatch two = new CountDownLatch(2);
      ChunkedArray watched =
          watching(
              ChunkedArray.class,
              array,
              () -> {
                if (decoders.add(Thread.currentThread())) {
                  two.countDown();
                }
                await(two); // Comes only when two threads decode at once.
              });
      try (HyperslabReader reader = new HyperslabReader(settings)) {
        FixedWidthElements read = (FixedWidthElements) reader.read(watched, Hyperslab.all(shape));
        for (int i = 0; i < read.count(); i++) {
          assertThat(VALUE.get(read.bytes(), read.offset() + 4 * i)).isEqualTo(i);
        }
      }
      assertThat(decoders).hasSizeGreaterThanOrEqualTo(2);
    }
  }

  /** The same, and what it gives likewise, with an action at each decoding of an inner chunk. */
  private static <T> T watching(Class<T> as, Object watched, Runnable onDecode) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (method.getName().equals("decode")) {
            onDecode.run();
          }
          Object result = method.invoke(watched, arguments);
          if (result instanceof CodecPipeline) {
            return watching(CodecPipeline.class, result, onDecode);
          }
          return result instanceof Addressing.Sharded
              ? watching(Addressing.Sharded.class, result, onDecode)
              : result;
        };
    return as.cast(Proxy.newProxyInstance(as.getClassLoader(), new Class<?>[] {as}, handler));
  }
}
