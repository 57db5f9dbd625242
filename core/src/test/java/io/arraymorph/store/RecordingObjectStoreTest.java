package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.store.StoreException.Kind;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecordingObjectStoreTest extends ObjectStoreContract {
  private final MemoryObjectStore memory = new MemoryObjectStore("test");

  @Override
  protected ObjectStore open() {
    return new RecordingObjectStore(memory);
  }

  @Override
  protected ObjectStore reopen() {
    return new RecordingObjectStore(new SharedObjectStore(memory));
  }

  @Test
  void writesDownEveryRequest() {
    RecordingObjectStore recording = (RecordingObjectStore) store;
    put("o", randomBytes(1, 100));
    get("o", ByteRange.of(90, 200));
    failure(store.get("absent", ByteRange.WHOLE, ReadCondition.NONE));
    store.list("", "", "").join();
    store.put("p", ByteBuffer.wrap(bytes("abc")), WriteCondition.IF_ABSENT).join();
    assertThat(recording.requests())
        .containsExactly(
            request(StoreOperation.PUT, "o", ByteRange.WHOLE, 100, null),
            request(StoreOperation.GET, "o", ByteRange.of(90, 200), 10, null),
            request(StoreOperation.GET, "absent", ByteRange.WHOLE, 0, Kind.NOT_FOUND),
            request(StoreOperation.LIST, "", ByteRange.WHOLE, 0, null),
            request(StoreOperation.PUT, "p", ByteRange.WHOLE, 3, null));
    assertThat(recording.bytesRead()).isEqualTo(10);
    assertThat(recording.bytesWritten()).isEqualTo(103);
    recording.clear();
    assertThat(recording.requests()).isEmpty();
  }

  private static RecordingObjectStore.Request request(
      StoreOperation operation, String key, ByteRange range, long bytes, Kind failure) {
    return new RecordingObjectStore.Request(
        operation, key, range, bytes, Optional.ofNullable(failure));
  }
}
