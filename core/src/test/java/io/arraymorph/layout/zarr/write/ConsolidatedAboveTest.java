package io.arraymorph.layout.zarr.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Members of groups with consolidated metadata are written by their own path. */
class ConsolidatedAboveTest {
  private static final Shape CHUNKS = Shape.of(3, 4);
  private static final ClaimPolicy POLICY = ClaimPolicy.DEFAULT;

  @Test
  void theGroupFollowsItsMembers() {
    MemoryObjectStore store = new MemoryObjectStore("above");
    StorePath group = new StorePath(store, "dir/g");
    Map<String, Grid> members = new TreeMap<>(Map.of("a", grid(7, 9, 1), "b", grid(5, 5, 2)));
    GridWrites.save(group, members, POLICY);
    assertThat(ZarrNodes.openGroup(group).isConsolidated()).isTrue();

    GridWrites.append(group.resolve("a"), Map.of("", grid(4, 9, 3)), POLICY);
    members.put("a", members.get("a").with(grid(4, 9, 3)));
    assertThat(GridWrites.same(GridWrites.read(group), members)).isTrue();

    GridWrites.save(group.resolve("a"), Map.of("", grid(3, 3, 4)), POLICY);
    members.put("a", grid(3, 3, 4));
    assertThat(GridWrites.same(GridWrites.read(group), members)).isTrue();
    assertThat(ZarrNodes.openGroup(group).attributes().toString()).doesNotContain("replacing");
    store.close();
  }

  @Test
  void atNoTimeDoesTheGroupReadNewChunksByOldMetadata() {
    Grid old = grid(7, 9, 1);
    Grid replacement = grid(9, 13, 5);
    Grid other = grid(5, 5, 2);
    boolean died = true;
    for (int requests = 0; died; requests++) {
      MemoryObjectStore store = new MemoryObjectStore("above");
      StorePath group = new StorePath(store, "dir/g");
      GridWrites.save(group, new TreeMap<>(Map.of("a", old, "b", other)), POLICY);
      DyingObjectStore dying = new DyingObjectStore(store, requests, requests % 2 == 0);
      try {
        GridWrites.save(new StorePath(dying, "dir/g/a"), Map.of("", replacement), POLICY);
      } catch (RuntimeException failure) {
        assertThat(dying.isDead()).describedAs(failure.toString()).isTrue();
      }
      died = dying.isDead();
      try {
        check(GridWrites.read(group), old, replacement, other, requests, /* mayLack= */ true);
      } catch (ArrayMorphException replaced) {
        assertThat(replaced.code()).isEqualTo(ErrorCode.ARRAY_BEING_REPLACED);
      }
      TargetClaim.take(group.resolve("a"), "test", "repair", POLICY.forced()).close();
      check(GridWrites.read(group), old, replacement, other, requests, /* mayLack= */ false);
      store.close();
    }
  }

  private static void check(
      Map<String, Grid> now,
      Grid old,
      Grid replacement,
      Grid other,
      int requests,
      boolean mayLack) {
    assertThat(now.get("b").sameValues(other)).describedAs("request %d", requests).isTrue();
    Grid a = now.get("a");
    assertThat(a == null ? mayLack : a.sameValues(old) || a.sameValues(replacement))
        .describedAs("request %d", requests)
        .isTrue();
  }

  private static Grid grid(long rows, long columns, int seed) {
    return Grid.random(new Random(seed), rows, columns, CHUNKS, false);
  }
}
