package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that are good ones, but of other requests, versions or objects. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MixedUpAnswersTest {
  private final MemoryObjectStore memory = new MemoryObjectStore("lied");
  private final RecordingObjectStore store = new RecordingObjectStore(memory);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void bytesAfterAnAnswerAreNotTheAnswerToTheNextCall() {
    // Two answers where one was asked for; the second would fit the next call.
    ZarrArray array = FunctionReading.ALONE.array(store);
    Hyperslab one = Hyperslab.box(new long[] {0, 0}, new long[] {8, 1});
    Hyperslab other = Hyperslab.box(new long[] {8, 8}, new long[] {16, 9});
    try (RawFunction raw =
        new RawFunction(
            memory,
            call -> {
              call.write(call.right());
              call.write(call.right());
            })) {
      for (int i = 0; i < 20; i++) {
        try (HyperslabReader reader = FunctionReading.reader(raw, false)) {
          HyperslabReaderTest.assertReads(reader, array, one);
          HyperslabReaderTest.assertReads(reader, array, other);
        }
      }
    }
  }

  @Test
  void theAnswerToAnotherRequestOfTheSameLengthIsRefused() {
    // As of a cache before the function that tells requests by their URL.
    for (FunctionReading reading : FunctionReading.values()) {
      ZarrArray array = reading.array(store);
      Hyperslab one = Hyperslab.box(new long[] {0, 0}, new long[] {16, 1});
      Hyperslab other = Hyperslab.box(new long[] {0, 5}, new long[] {16, 6});
      List<RawFunction.Answer> cached = new ArrayList<>();
      try (RawFunction raw =
              new RawFunction(
                  memory,
                  call -> {
                    synchronized (cached) {
                      cached.add(call.right());
                      call.write(cached.get(0));
                    }
                  });
          HyperslabReader first = FunctionReading.reader(raw, false);
          HyperslabReader second = FunctionReading.reader(raw, false)) {
        HyperslabReaderTest.assertReads(first, array, one);
        HyperslabReaderTest.assertReads(second, array, other);
        assertThat(second.metrics().sliceFunctionFailures()).isEqualTo(2);
      }
    }
  }

  @Test
  void anotherVersionThanWasAskedForIsRefused() {
    for (FunctionReading reading : FunctionReading.values()) {
      ZarrArray array = reading.array(store);
      List<StorePath> objects = new ArrayList<>();
      for (ChunkSelection part : ChunkSelections.of(array.grid(), reading.columns())) {
        objects.add(array.chunkObject(part.chunk()));
      }
      ObjectPins pins = ObjectPins.read(objects);
      Lies.Lie lie = Lies.version("\"stale\"", "256");
      try (RawFunction raw = new RawFunction(memory, call -> lie.tell(call, call.right()));
          HyperslabReader reader =
              new HyperslabReader(
                  FunctionReading.settings(),
                  Optional.of(raw.function(false)),
                  "query " + reading,
                  pins)) {
        HyperslabReaderTest.assertReads(reader, array, reading.columns());
        assertThat(reader.metrics().sliceFunctionFailures())
            .isPositive()
            .isEqualTo(reader.metrics().sliceFunctionRequests());
      }
    }
  }

  @Test
  void objectsThatAreSaidToBeAbsentOrChangedAreReadFromTheStore() {
    Map<String, Lies.Lie> lies = new LinkedHashMap<>();
    lies.put("absent", Lies.refusal("404 Gone", SliceProtocol.CODE_HEADER, "NOT_FOUND"));
    lies.put(
        "changed", Lies.refusal("412 Other", SliceProtocol.CODE_HEADER, "PRECONDITION_FAILED"));
    lies.put(
        "absent together",
        (call, right) -> {
          if (!call.batch().together()) {
            call.write(right);
            return;
          }
          int slices = call.batch().slices().size();
          String nulls = String.join(",", Collections.nCopies(slices, "null"));
          right.headers.put(SliceProtocol.VERSIONS_HEADER, "[" + nulls + "]");
          right.body = new byte[0];
          right.stateLength();
          right.stateCrc();
          call.write(right);
        });
    lies.forEach(
        (name, lie) -> {
          for (FunctionReading reading : FunctionReading.values()) {
            if (name.endsWith("together") && !reading.isTogether()) {
              continue;
            }
            ZarrArray array = reading.array(store);
            try (RawFunction raw = new RawFunction(memory, call -> lie.tell(call, call.right()));
                HyperslabReader reader = FunctionReading.reader(raw, true)) {
              HyperslabReaderTest.assertReads(reader, array, reading.columns());
              assertThat(raw.calls()).as(name).isPositive();
              assertThat(reader.metrics().sliceFunctionFailures()).as(name).isZero();
            }
          }
        });
  }

  @Test
  void anAnswerWithoutVersionDoesNotMakeTheObjectAbsent() {
    // No ETag is how absent objects are known; later reads of the chunk would be fill values.
    for (FunctionReading reading : FunctionReading.values()) {
      ZarrArray array = reading.array(store);
      Lies.Lie lie = Lies.version("", "256");
      try (RawFunction raw = new RawFunction(memory, call -> lie.tell(call, call.right()));
          HyperslabReader reader = FunctionReading.reader(raw, false)) {
        HyperslabReaderTest.assertReads(reader, array, reading.columns());
        HyperslabReaderTest.assertReads(reader, array, Hyperslab.all(array.schema().shape()));
      }
    }
  }
}
