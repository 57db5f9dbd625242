package io.arraymorph.layout.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ZarrGroupsTest {
  private static final RecordingObjectStore STORE =
      new RecordingObjectStore(new LocalObjectStore(Fixture.ROOT));

  @AfterAll
  static void close() {
    STORE.close();
  }

  static Stream<Fixture> groups() {
    return Fixture.all().stream().filter(f -> !f.isArray() && f.expected().equals("value"));
  }

  static Stream<Fixture> hostileGroups() {
    return Fixture.all().stream().filter(f -> !f.isArray() && f.expected().equals("error"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("groups")
  void findsTheNodesThatTheIndexLists(Fixture fixture) {
    ZarrGroup group = ZarrNodes.openGroup(new StorePath(STORE, fixture.path()));
    Map<String, String> found = new TreeMap<>();
    walk(group, "", found);
    Map<String, String> wanted = new TreeMap<>();
    for (Map.Entry<String, JsonNode> node : fixture.entry().get("nodes").properties()) {
      wanted.put(node.getKey(), node.getValue().asText());
    }
    wanted.remove("");
    assertThat(found).isEqualTo(wanted);
    assertThat(group.isConsolidated()).isEqualTo(fixture.entry().get("consolidated").asBoolean());
    assertThat(group.zarrFormat()).isEqualTo(fixture.entry().get("zarr_format").asInt());
    for (String name : wanted.keySet()) {
      ZarrNode child = group.child(name);
      assertThat(child instanceof ZarrArray).isEqualTo(wanted.get(name).equals("array"));
      assertThat(child.path()).isEqualTo(group.path().resolve(name));
    }
  }

  private static void walk(ZarrGroup group, String prefix, Map<String, String> found) {
    for (ZarrNode child : group.children()) {
      found.put(prefix + child.name(), child instanceof ZarrArray ? "array" : "group");
      if (child instanceof ZarrGroup) {
        walk((ZarrGroup) child, prefix + child.name() + "/", found);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hostileGroups")
  void refusesOrLeavesOutNamesThatLeadOutside(Fixture fixture) {
    STORE.clear();
    Set<String> refused =
        StreamSupport.stream(fixture.entry().path("names").spliterator(), false)
            .map(JsonNode::asText)
            .collect(Collectors.toSet());
    try {
      ZarrGroup group = ZarrNodes.openGroup(new StorePath(STORE, fixture.path()));
      Map<String, String> found = new TreeMap<>();
      walk(group, "", found);
      assertThat(found.keySet()).isSubsetOf("good", "ok", "x");
      for (String name : refused) {
        assertThatThrownBy(() -> group.child(name)).isInstanceOf(ArrayMorphException.class);
      }
    } catch (ArrayMorphException e) {
      assertThat(e.getMessage()).contains(fixture.path());
    }
    assertThat(STORE.requests())
        .allSatisfy(r -> assertThat(r.key()).startsWith(fixture.path() + "/"));
  }

  @Test
  void takesOneRequestForConsolidatedMetadataHoweverManyArrays() {
    STORE.clear();
    ZarrGroup group = ZarrNodes.openGroup(new StorePath(STORE, "groups/coordinates.zarr"));
    assertThat(group.children()).hasSize(35);
    assertThat(STORE.requests()).hasSize(1);
  }

  @Test
  void listsOnceAndReadsOneObjectForEachChildWithoutThem() {
    STORE.clear();
    ZarrGroup group = ZarrNodes.openGroup(new StorePath(STORE, "groups/swath.zarr"));
    assertThat(group.children()).hasSize(4);
    assertThat(STORE.count(StoreOperation.LIST)).isEqualTo(1);
    assertThat(STORE.count(StoreOperation.GET)).isEqualTo(1 + 4);
  }

  @Test
  void namesWhatThereIsWhenAnArrayIsUnknown() {
    ZarrGroup group = ZarrNodes.openGroup(new StorePath(STORE, "groups/swath.zarr"));
    assertThatThrownBy(() -> group.child("radiancy"))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageStartingWith("[ARRAYMORPH_UNKNOWN_ARRAY]")
        .hasMessageContaining("radiancy")
        .hasMessageContaining("radiance");
  }
}
