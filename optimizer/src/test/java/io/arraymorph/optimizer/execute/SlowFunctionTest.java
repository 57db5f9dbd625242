package io.arraymorph.optimizer.execute;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that never come to an end are left in bounded time, with bounded memory. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SlowFunctionTest {
  private final MemoryObjectStore memory = new MemoryObjectStore("lied");
  private final RecordingObjectStore store = new RecordingObjectStore(memory);

  @AfterEach
  void close() {
    store.close();
  }

  private static final int ENDLESS = 64 << 20;

  @Test
  void anEndlessBodyIsCutOff() {
    for (FunctionReading reading : FunctionReading.values()) {
      AtomicLong written = new AtomicLong();
      try (RawFunction raw =
          new RawFunction(
              memory,
              call -> {
                call.right().headers.remove("Content-Length");
                call.right().headers.put("Transfer-Encoding", "chunked");
                call.right().body = new byte[0];
                call.write(call.right());
                byte[] piece = ("10000\r\n" + "x".repeat(1 << 16) + "\r\n").getBytes(ISO_8859_1);
                for (long sent = 0; sent < ENDLESS; sent += piece.length) {
                  call.write(piece);
                  written.addAndGet(piece.length);
                }
              })) {
        reading.assertReadWithout(raw, store, reading.name());
        // What fits into the buffers of a connection, for each call.
        assertThat(written.get()).isLessThan(raw.calls() * (long) ENDLESS / 4);
      }
    }
  }

  @Test
  void whoTakesHisTimeIsLeftInGoodTime() {
    Map<String, RawFunction.Manner> slow = new LinkedHashMap<>();
    slow.put("silence", call -> Thread.sleep(60_000));
    slow.put(
        "a negative length",
        call -> {
          call.right().headers.put("Content-Length", "-7");
          call.write(call.right());
          Thread.sleep(60_000);
        });
    slow.put(
        "half a head",
        call -> {
          call.write("HTTP/1.1 200 OK\r\nContent-Le");
          Thread.sleep(60_000);
        });
    slow.put(
        "a body that stops",
        call -> {
          byte[] all = call.right().body;
          call.right().body = Arrays.copyOf(all, all.length - 1);
          call.write(call.right());
          Thread.sleep(60_000);
        });
    slow.put(
        "a byte now and then",
        call -> {
          byte[] all = call.right().body;
          call.right().body = new byte[0];
          call.write(call.right());
          for (byte one : all) {
            call.write(new byte[] {one});
            Thread.sleep(250);
          }
        });
    slow.put(
        "a head without end",
        call -> {
          call.write("HTTP/1.1 200 OK\r\n");
          for (int i = 0; i < 600; i++) {
            call.write("X-" + i + ": 1\r\n");
            Thread.sleep(100);
          }
        });
    ZarrArray array = FunctionReading.ALONE.array(store);
    long start = System.nanoTime();
    List<CompletableFuture<?>> reads = new ArrayList<>();
    slow.forEach(
        (name, manner) ->
            reads.add(
                CompletableFuture.runAsync(
                    () -> assertLeftSoon(array, name, manner), task -> new Thread(task).start())));
    reads.forEach(CompletableFuture::join);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
  }

  private void assertLeftSoon(ZarrArray array, String name, RawFunction.Manner manner) {
    AtomicInteger closed = new AtomicInteger();
    RawFunction.Manner watched =
        call -> {
          Thread reader = new Thread(() -> awaitEnd(call.socket(), closed));
          reader.start();
          manner.answer(call);
        };
    try (RawFunction raw = new RawFunction(memory, watched);
        HyperslabReader reader = FunctionReading.reader(raw, false)) {
      HyperslabReaderTest.assertReads(reader, array, FunctionReading.ALONE.columns());
      assertThat(reader.metrics().sliceFunctionFailures()).as(name).isEqualTo(6);
      // The client hung up: nothing of the calls is left behind.
      for (int i = 0; i < 100 && closed.get() < 6; i++) {
        Thread.sleep(50);
      }
      assertThat(closed).as(name).hasValue(6);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitEnd(Socket socket, AtomicInteger closed) {
    try {
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // It is closed too.
    }
    closed.incrementAndGet();
  }
}
