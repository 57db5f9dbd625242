package io.arraymorph.layout.zarr;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.layout.zarr.ZarrListing.Entry;
import io.arraymorph.layout.zarr.ZarrListing.Kind;
import io.arraymorph.layout.zarr.write.NodeDeletion;
import io.arraymorph.store.FaultyObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ZarrListingTest {
  private static final String ARRAY =
      "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4],\"data_type\":\"int8\","
          + "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2]}},"
          + "\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,\"codecs\":["
          + "{\"name\":\"bytes\"}]}";
  private static final String GROUP = "{\"zarr_format\":3,\"node_type\":\"group\"}";

  private final MemoryObjectStore memory = new MemoryObjectStore("listing");
  private final RecordingObjectStore store = new RecordingObjectStore(memory);

  @BeforeEach
  void fill() {
    put("w/a/zarr.json", ARRAY);
    put("w/a/c/0", "xx");
    put("w/a/c/1", "xx");
    put("w/b/zarr.json", "{ damaged");
    put("w/g/zarr.json", GROUP);
    put("w/g/in/zarr.json", ARRAY);
    put("w/plain/deep/zarr.json", ARRAY);
    put("w/v2/.zarray", "{}");
    put("w/v2g/.zgroup", "{\"zarr_format\":2}");
    put("w/README", "text");
    put("empty/zarr.json", new String(ZarrListing.folderDocument(), UTF_8));
    store.clear();
  }

  private void put(String key, String text) {
    memory.put(key, ByteBuffer.wrap(text.getBytes(UTF_8)), WriteCondition.NONE).join();
  }

  private StorePath path(String key) {
    return new StorePath(store, key);
  }

  @Test
  void tellsArraysGroupsAndFoldersApartByTheirMetadata() {
    assertThat(ZarrListing.of(path("w")).orElseThrow())
        .containsExactly(
            new Entry("a", Kind.ARRAY),
            new Entry("b", Kind.ARRAY),
            new Entry("g", Kind.GROUP),
            new Entry("plain", Kind.FOLDER),
            new Entry("v2", Kind.ARRAY),
            new Entry("v2g", Kind.GROUP));
    assertThat(store.count(StoreOperation.LIST)).isEqualTo(1);
    // 3 for the place itself, 6 documents of v3, 2 of v2 for each of the three others.
    assertThat(store.count(StoreOperation.GET)).isEqualTo(3 + 6 + 6);
    assertThat(ZarrListing.of(path("")).orElseThrow())
        .containsExactly(new Entry("empty", Kind.FOLDER), new Entry("w", Kind.FOLDER));
  }

  @Test
  void anArrayHasNoChildrenAndNothingIsNotEmpty() {
    assertThat(ZarrListing.of(path("w/a"))).contains(List.of());
    assertThat(ZarrListing.of(path("empty"))).contains(List.of());
    assertThat(ZarrListing.of(path("nowhere"))).isEmpty();
    assertThat(ZarrListing.isFolderOrGroup(path("w/a"))).isFalse();
    assertThat(ZarrListing.isFolderOrGroup(path("w/g"))).isTrue();
    assertThat(ZarrListing.isFolderOrGroup(path("w"))).isTrue();
    assertThat(ZarrListing.isFolderOrGroup(path("nowhere"))).isFalse();
  }

  @Test
  void consolidatedMetadataNeedOneRequest() {
    put(
        "c/zarr.json",
        "{\"zarr_format\":3,\"node_type\":\"group\",\"consolidated_metadata\":{\"kind\":\"inline\","
            + "\"must_understand\":false,\"metadata\":{\"x\":"
            + ARRAY
            + ",\"h\":"
            + GROUP
            + ",\"h/y\":"
            + ARRAY
            + "}}}");
    assertThat(ZarrListing.of(path("c")).orElseThrow())
        .containsExactly(new Entry("h", Kind.GROUP), new Entry("x", Kind.ARRAY));
    assertThat(store.requests()).hasSize(1);
  }

  @Test
  void whatMayNotBeSeenIsNeverTakenForEmpty() {
    for (StoreOperation operation : List.of(StoreOperation.LIST, StoreOperation.GET)) {
      FaultyObjectStore denied = new FaultyObjectStore(memory);
      denied.inject(
          operation, ".*", new FaultyObjectStore.Effect.Fail(StoreException.Kind.DENIED), 1_000);
      assertThatThrownBy(() -> ZarrListing.of(new StorePath(denied, "w")))
          .hasMessageContaining("ARRAYMORPH_ACCESS_DENIED");
    }
  }

  @Test
  void theFirstOfSeveralPathsIsFoundOfV3First() {
    Optional<ZarrNode> found =
        ZarrNodes.findFirst(List.of(path("w/none"), path("w/v2g"), path("w/g"), path("w/a")));
    assertThat(found.orElseThrow().path().key()).isEqualTo("w/g");
    store.clear();
    assertThat(ZarrNodes.findFirst(List.of(path("w/a"), path("w/g"))).orElseThrow().path().key())
        .isEqualTo("w/a");
    assertThat(store.requests()).hasSize(1);
    assertThat(ZarrNodes.findFirst(List.of(path("w/none"), path("w/v2g"))).orElseThrow().path())
        .isEqualTo(path("w/v2g"));
    assertThat(ZarrNodes.findFirst(List.of(path("w/none")))).isEmpty();
  }

  @Test
  void aNodeIsDeletedMetadataFirstAndForeignObjectsStay() {
    put("w/g/in/c/0", "xx");
    put("w/g/in/notes.txt", "mine");
    put("w/g2/zarr.json", GROUP);
    assertThat(NodeDeletion.delete(path("w/g"), "a test")).isEqualTo(3);
    List<String> deleted =
        store.requests(StoreOperation.DELETE).stream().map(r -> r.key()).toList();
    assertThat(deleted.subList(0, 2)).containsExactly("w/g/zarr.json", "w/g/in/zarr.json");
    assertThat(memory.list("w/g", "", "").join().objects())
        .extracting(stat -> stat.key())
        .containsExactly("w/g/in/notes.txt", "w/g2/zarr.json");
    assertThat(NodeDeletion.delete(path("w/plain"), "a test")).isZero();
    assertThat(ZarrNodes.open(path("w/plain/deep"))).isInstanceOf(ZarrArray.class);
  }
}
