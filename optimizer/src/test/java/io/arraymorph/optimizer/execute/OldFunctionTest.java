package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.slice.SliceBatch;
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Functions that know only requests for one slice. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OldFunctionTest {
  private final MemoryObjectStore memory = new MemoryObjectStore("old");
  private final RecordingObjectStore store = new RecordingObjectStore(memory);

  @AfterEach
  void close() {
    store.close();
  }

  private static void refuse(RawFunction.Call call, int status, String code, String text)
      throws IOException {
    call.write(
        "HTTP/1.1 "
            + status
            + " No\r\n"
            + SliceProtocol.CODE_HEADER
            + ": "
            + code
            + "\r\nContent-Length: "
            + text.length()
            + "\r\n\r\n"
            + text);
  }

  private RawFunction refusing(int status, String code, String text, AtomicBoolean refuses) {
    return new RawFunction(
        memory,
        call -> {
          if (call.batch().together() && refuses.get()) {
            refuse(call, status, code, text);
          } else {
            call.right().headers.remove(SliceProtocol.REQUEST_HEADER);
            call.write(call.right());
          }
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INVALID_REQUEST | arraymorph_slice is 2, this server knows 1",
        "INVALID | arraymorph_slice is 2",
        "INVALID_REQUEST | unknown field 'slices'"
      })
  void oneSliceACallIsAskedForFromThenOn(String code, String text) {
    for (FunctionReading reading :
        new FunctionReading[] {FunctionReading.TOGETHER, FunctionReading.TOGETHER_DECODED}) {
      ZarrArray array = reading.array(store);
      store.clear();
      try (RawFunction raw = refusing(400, code, text, new AtomicBoolean(true))) {
        assertThat(raw.function(true).mostTogether()).isEqualTo(SliceBatch.MAX_SLICES);
        try (HyperslabReader reader = FunctionReading.reader(raw, true)) {
          HyperslabReaderTest.assertReads(reader, array, reading.columns());
          assertThat(reader.metrics().sliceFunctionFailures()).isZero();
        }
        int refused = raw.batches();
        assertThat(refused).isPositive();
        assertThat(raw.calls() - refused).isEqualTo(reading.chunks());
        // Another reader of this process does not ask again.
        assertThat(raw.function(true).mostTogether()).isEqualTo(1);
        try (HyperslabReader reader = FunctionReading.reader(raw, true)) {
          HyperslabReaderTest.assertReads(reader, array, reading.columns());
        }
        assertThat(raw.batches()).isEqualTo(refused);
        assertThat(raw.calls() - refused).isEqualTo(2 * reading.chunks());
        assertThat(store.requests(StoreOperation.GET)).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | INVALID_REQUEST | a box is outside of its chunk",
        "400 | INVALID_REQUEST | sorry: arraymorph_slice is 2",
        "400 | INVALID_REQUEST | unknown field 'object'",
        "400 | UNKNOWN | arraymorph_slice is 2",
        "422 | INVALID_REQUEST | arraymorph_slice is 2",
        "500 | INTERNAL | arraymorph_slice is 2"
      })
  void anotherRefusalIsNotRemembered(int status, String code, String text) {
    AtomicBoolean refuses = new AtomicBoolean(true);
    try (RawFunction raw = refusing(status, code, text, refuses)) {
      ZarrArray array = FunctionReading.TOGETHER.array(store);
      try (HyperslabReader reader = FunctionReading.reader(raw, false)) {
        HyperslabReaderTest.assertReads(reader, array, FunctionReading.TOGETHER.columns());
        assertThat(reader.metrics().sliceFunctionFailures()).isPositive();
      }
      assertThat(raw.function(false).mostTogether()).isEqualTo(SliceBatch.MAX_SLICES);
      refuses.set(false);
      int before = raw.batches();
      try (HyperslabReader reader = FunctionReading.reader(raw, true)) {
        HyperslabReaderTest.assertReads(reader, array, FunctionReading.TOGETHER.columns());
      }
      assertThat(raw.batches()).isGreaterThan(before);
    }
  }

  @Test
  void whoKnowsNoVersionIsNotAskedForever() {
    try (RawFunction raw =
        new RawFunction(
            memory, call -> refuse(call, 400, "INVALID_REQUEST", "arraymorph_slice is unknown"))) {
      FunctionReading.TOGETHER.assertReadWithout(raw, store, "no version");
      assertThat(raw.calls()).isLessThanOrEqualTo(8 + 2 * FunctionReading.TOGETHER.chunks());
    }
  }
}
