package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Servers that answer calls for slices with anything but the slices: values come from the store, or
 * a read that needs the function fails by name.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LyingFunctionTest {
  private final MemoryObjectStore memory = new MemoryObjectStore("lied");
  private final RecordingObjectStore store = new RecordingObjectStore(memory);

  @AfterEach
  void close() {
    store.close();
  }

  static List<String> names() {
    return List.copyOf(Lies.TOLD.keySet());
  }

  @ParameterizedTest
  @MethodSource("names")
  void whateverIsAnsweredTheValuesAreThoseOfTheStore(String name) {
    // The length of an object is of no matter for elements that came decoded.
    boolean ofLength = name.matches("an object of '\\d{1,3}' bytes");
    FunctionReading alone = FunctionReading.ALONE;
    FunctionReading together =
        ofLength ? FunctionReading.TOGETHER : FunctionReading.TOGETHER_DECODED;
    Lies.Lie lie = Lies.TOLD.get(name);
    try (RawFunction raw = new RawFunction(memory, call -> lie.tell(call, call.right()))) {
      alone.assertReadWithout(raw, store, name);
    }
    try (RawFunction raw = new RawFunction(memory, call -> lie.tell(call, call.right()))) {
      together.assertReadWithout(raw, store, name);
      assertFailsIfRequired(raw, together.array(store), together, name);
    }
  }

  private static void assertFailsIfRequired(
      RawFunction raw, ZarrArray array, FunctionReading reading, String name) {
    try (HyperslabReader reader = FunctionReading.reader(raw, true)) {
      Throwable failure = catchThrowable(() -> reader.read(array, reading.columns()));
      assertThat(failure).as("%s, %s", name, reading).isInstanceOf(ArrayMorphException.class);
      assertThat(((ArrayMorphException) failure).code()).isEqualTo(ErrorCode.SLICE_FUNCTION_FAILED);
      StringWriter text = new StringWriter();
      failure.printStackTrace(new PrintWriter(text));
      assertThat(text.toString()).as(name).doesNotContain(RawFunction.TOKEN);
      assertThat(failure.getMessage().length()).isLessThan(2000);
      assertThat(failure.getMessage()).doesNotContain("\r").doesNotContain("\u0000");
    }
  }

  @Test
  void redirectsAreNotFollowed() throws Exception {
    AtomicInteger trapped = new AtomicInteger();
    try (ServerSocket trap = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
      Thread waiting =
          new Thread(
              () -> {
                try {
                  while (true) {
                    trap.accept().close();
                    trapped.incrementAndGet();
                  }
                } catch (IOException e) {
                  // Closed.
                }
              });
      waiting.start();
      for (String status : List.of("301 A", "302 B", "303 C", "307 D", "308 E")) {
        String location = "http://127.0.0.1:" + trap.getLocalPort() + "/slice";
        Lies.Lie lie = Lies.refusal(status, "Location", location);
        try (RawFunction raw = new RawFunction(memory, call -> lie.tell(call, call.right()))) {
          FunctionReading.ALONE.assertReadWithout(raw, store, status);
        }
      }
      assertThat(trapped).hasValue(0);
    }
  }
}
