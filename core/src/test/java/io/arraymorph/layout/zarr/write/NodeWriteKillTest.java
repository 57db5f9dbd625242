package io.arraymorph.layout.zarr.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StorePath;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Kills every protocol at every request, and looks at what readers and the next writer find. */
class NodeWriteKillTest {
  private static final ClaimPolicy POLICY = ClaimPolicy.DEFAULT;
  private static final Shape CHUNKS = Shape.of(3, 4);

  @Test
  void creatingAnArrayLeavesNoneOrAllOfIt() {
    kill("array", Map.of(), target -> GridWrites.save(target, array(10, 9), POLICY), array(10, 9));
  }

  @Test
  void creatingAShardedArrayLeavesNoneOrAllOfIt() {
    Map<String, Grid> sharded = Map.of("", Grid.random(new Random(1), 14, 9, CHUNKS, true));
    kill("array", Map.of(), target -> GridWrites.save(target, sharded, POLICY), sharded);
  }

  @Test
  void creatingAGroupLeavesNoneOrAllOfIt() {
    Map<String, Grid> group = group(10, 9, "a", "b");
    kill("dir/group", Map.of(), target -> GridWrites.save(target, group, POLICY), group);
  }

  @Test
  void appendingToAnArrayLeavesTheOldOrTheNew() {
    Map<String, Grid> old = array(7, 9);
    Map<String, Grid> below = array(9, 9);
    kill("a", old, target -> GridWrites.append(target, below, POLICY), grown(old, below));
  }

  @Test
  void appendingToAGroupLeavesTheOldOrTheNew() {
    Map<String, Grid> old = group(7, 9, "a", "b");
    Map<String, Grid> below = group(3, 9, "a", "b");
    kill("g", old, target -> GridWrites.append(target, below, POLICY), grown(old, below));
  }

  @Test
  void replacingAnArrayLeavesTheOldOrTheNewAndNothingReadableBetween() {
    kill("a", array(10, 9), target -> GridWrites.save(target, array(5, 12), POLICY), array(5, 12));
  }

  @Test
  void replacingAGroupLeavesTheOldOrTheNewAndNothingReadableBetween() {
    Map<String, Grid> replacement = group(4, 13, "b", "c");
    kill(
        "g",
        group(10, 9, "a", "b"),
        target -> GridWrites.save(target, replacement, POLICY),
        replacement);
  }

  @Test
  void replacingAGroupByAnArrayAndAnArrayByAGroupLeavesTheOldOrTheNew() {
    Map<String, Grid> one = array(6, 6);
    Map<String, Grid> several = group(4, 13, "b", "c");
    kill("g", several, target -> GridWrites.save(target, one, POLICY), one);
    kill("g", one, target -> GridWrites.save(target, several, POLICY), several);
  }

  private void kill(
      String key, Map<String, Grid> old, Consumer<StorePath> write, Map<String, Grid> wanted) {
    for (boolean lastArrives : new boolean[] {false, true}) {
      boolean died = true;
      for (int requests = 0; died; requests++) {
        assertThat(requests).isLessThan(2000);
        MemoryObjectStore store = new MemoryObjectStore("kill");
        StorePath target = new StorePath(store, key);
        if (!old.isEmpty()) {
          GridWrites.save(target, old, POLICY);
        }
        DyingObjectStore dying = new DyingObjectStore(store, requests, lastArrives);
        died = dies(write, new StorePath(dying, key), dying);
        String when = "request " + requests + (lastArrives ? ", which arrives" : "");
        check(target, old, wanted, died, when);
        recover(target, old, wanted, died, when);
        writeAgain(target, when);
        store.close();
      }
    }
  }

  private static boolean dies(Consumer<StorePath> write, StorePath target, DyingObjectStore dying) {
    try {
      write.accept(target);
    } catch (RuntimeException failure) {
      assertThat(dying.isDead()).describedAs(failure.toString()).isTrue();
    }
    return dying.isDead();
  }

  /** What a reader sees after the death: the old, the new, or that it is being replaced. */
  private static void check(
      StorePath target,
      Map<String, Grid> old,
      Map<String, Grid> wanted,
      boolean died,
      String when) {
    try {
      Map<String, Grid> now = GridWrites.read(target);
      boolean isNew = GridWrites.same(now, wanted);
      assertThat(isNew || (died && GridWrites.same(now, new TreeMap<>(old))))
          .describedAs("%s: neither old nor new", when)
          .isTrue();
    } catch (ArrayMorphException replaced) {
      assertThat(died).isTrue();
      assertThat(replaced.code()).describedAs(when).isEqualTo(ErrorCode.ARRAY_BEING_REPLACED);
    }
  }

  private static void recover(
      StorePath target,
      Map<String, Grid> old,
      Map<String, Grid> wanted,
      boolean died,
      String when) {
    boolean wasNew = isReadable(target) && GridWrites.same(GridWrites.read(target), wanted);
    List<RecoveryOutcome> outcomes = NodeRepair.repair(target, "test", true);
    assertThat(outcomes).hasSizeLessThanOrEqualTo(1);
    Map<String, Grid> now = GridWrites.read(target);
    boolean isNew = GridWrites.same(now, wanted);
    assertThat(isNew || (died && !wasNew && GridWrites.same(now, new TreeMap<>(old))))
        .describedAs("%s: after recovery neither old nor new", when)
        .isTrue();
    assertThat(GridWrites.keys(target.store()))
        .describedAs(when)
        .noneMatch(key -> key.contains("_arraymorph"));
    if (now.isEmpty()) {
      assertThat(GridWrites.keys(target.store())).describedAs(when).isEmpty();
    }
  }

  private static boolean isReadable(StorePath target) {
    try {
      GridWrites.read(target);
      return true;
    } catch (ArrayMorphException replaced) {
      return false;
    }
  }

  private static void writeAgain(StorePath target, String when) {
    Map<String, Grid> next = Map.of("", Grid.random(new Random(77), 8, 5, CHUNKS, false));
    GridWrites.save(target, next, POLICY);
    assertThat(GridWrites.same(GridWrites.read(target), next)).describedAs(when).isTrue();
    ObjectStore store = target.store();
    assertThat(GridWrites.keys(store))
        .describedAs(when)
        .allMatch(key -> key.matches(target.key() + "/(zarr.json|c/\\d+/\\d+)"));
  }

  @Test
  void recoveryThatIsKilledItselfStartsOver() {
    Map<String, Grid> old = group(10, 9, "a", "b");
    Map<String, Grid> wanted = group(4, 13, "b", "c");
    Map<String, Grid> below = group(3, 9, "a", "b");
    killRecovery(old, wanted, target -> GridWrites.save(target, wanted, POLICY));
    killRecovery(old, grown(old, below), target -> GridWrites.append(target, below, POLICY));
  }

  private void killRecovery(
      Map<String, Grid> old, Map<String, Grid> wanted, Consumer<StorePath> write) {
    for (int requests = 20; requests < 200; requests += 7) {
      boolean died = true;
      for (int later = 0; died; later += 2) {
        MemoryObjectStore store = new MemoryObjectStore("kill");
        StorePath target = new StorePath(store, "g");
        GridWrites.save(target, old, POLICY);
        DyingObjectStore first = new DyingObjectStore(store, requests, false);
        if (!dies(write, new StorePath(first, "g"), first)) {
          return;
        }
        DyingObjectStore second = new DyingObjectStore(store, later, true);
        died =
            dies(
                path -> TargetClaim.take(path, "test", "repair", POLICY.forced()).close(),
                new StorePath(second, "g"),
                second);
        String when = requests + ", then " + later;
        check(target, old, wanted, true, when);
        recover(target, old, wanted, true, when);
        store.close();
      }
    }
  }

  @Test
  void aDeadWritersClaimStopsOthersUntilItIsStale() {
    MemoryObjectStore store = new MemoryObjectStore("kill");
    StorePath target = new StorePath(store, "a");
    DyingObjectStore dying = new DyingObjectStore(store, 5, false);
    assertThat(
            dies(
                path -> GridWrites.save(path, array(10, 9), POLICY),
                new StorePath(dying, "a"),
                dying))
        .isTrue();
    assertThatThrownBy(() -> GridWrites.save(target, array(10, 9), POLICY))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_ARRAY_BEING_WRITTEN")
        .hasMessageContaining("test");
    store.close();
  }

  private Map<String, Grid> array(long rows, long columns) {
    return Map.of("", Grid.random(new Random(rows * columns), rows, columns, CHUNKS, false));
  }

  private Map<String, Grid> group(long rows, long columns, String... names) {
    Map<String, Grid> group = new TreeMap<>();
    for (String name : names) {
      group.put(
          name, Grid.random(new Random(name.hashCode() + rows), rows, columns, CHUNKS, false));
    }
    return group;
  }

  private static Map<String, Grid> grown(Map<String, Grid> old, Map<String, Grid> below) {
    Map<String, Grid> grown = new TreeMap<>();
    old.forEach((name, grid) -> grown.put(name, grid.with(below.get(name))));
    return grown;
  }
}
