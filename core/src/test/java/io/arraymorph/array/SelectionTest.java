package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SelectionTest {

  @Test
  void agreesWithSetsOfSingleElements() {
    for (long seed = 0; seed < 4_000; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 3, 6);
      Selection a = random(random, shape);
      Selection b = random(random, shape);
      Set<List<Long>> inA = elements(a);
      Set<List<Long>> inB = elements(b);
      String seedText = "seed " + seed + ": " + a + " with " + b;

      Set<List<Long>> union = new HashSet<>(inA);
      union.addAll(inB);
      assertHolds(a.union(b), union, seedText);
      Set<List<Long>> both = new HashSet<>(inA);
      both.retainAll(inB);
      assertHolds(a.intersect(b), both, seedText);
      Set<List<Long>> minus = new HashSet<>(inA);
      minus.removeAll(inB);
      assertHolds(a.minus(b), minus, seedText);
      Hyperslab box = RandomArrays.hyperslab(random, shape);
      Set<List<Long>> clipped = new HashSet<>(inA);
      clipped.retainAll(new HashSet<>(RandomArrays.elements(box)));
      assertHolds(a.clip(box), clipped, seedText + " clipped to " + box);
      assertThat(a.equals(b)).as(seedText).isEqualTo(inA.equals(inB));
      assertThat(Selection.all(shape).minus(a).union(a))
          .as(seedText)
          .isEqualTo(Selection.all(shape))
          .hasSameHashCodeAs(Selection.all(shape));
      Hyperslab bounds = a.bounds();
      assertThat(inA).as(seedText).allMatch(e -> contains(bounds, e));
    }
  }

  private static boolean contains(Hyperslab slab, List<Long> element) {
    return slab.contains(element.stream().mapToLong(Long::longValue).toArray());
  }

  private static Selection random(Random random, Shape shape) {
    List<OrthogonalSelection> parts = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      parts.add(RandomArrays.orthogonal(random, shape));
    }
    return Selection.of(shape.rank(), parts);
  }

  private static Set<List<Long>> elements(Selection selection) {
    Set<List<Long>> elements = new HashSet<>();
    selection.hyperslabs().forEach(slab -> elements.addAll(RandomArrays.elements(slab)));
    return elements;
  }

  private static void assertHolds(Selection selection, Set<List<Long>> oracle, String seed) {
    List<List<Long>> elements = new ArrayList<>();
    selection.hyperslabs().forEach(slab -> elements.addAll(RandomArrays.elements(slab)));
    assertThat(elements).as(seed).doesNotHaveDuplicates().hasSize(oracle.size());
    assertThat(new HashSet<>(elements)).as(seed).isEqualTo(oracle);
    assertThat(selection.elementCount()).as(seed).isEqualTo(oracle.size());
    assertThat(selection.isEmpty()).as(seed).isEqualTo(oracle.isEmpty());
  }

  @Test
  void joinsPartsThatDifferAlongOneDimension() {
    Hyperslab left = Hyperslab.of(IndexRange.of(0, 3), IndexRange.of(0, 5));
    Hyperslab right = Hyperslab.of(IndexRange.of(7, 9), IndexRange.of(0, 5));
    Selection union = Selection.of(left).union(Selection.of(right));
    assertThat(union.parts()).hasSize(1);
    assertThat(union.elementCount()).isEqualTo(25);
  }

  @Test
  void aScalarHasOneElement() {
    assertThat(Selection.all(Shape.of()).elementCount()).isEqualTo(1);
    assertThat(Selection.none(0).elementCount()).isZero();
    assertThat(Selection.all(Shape.of()).hyperslabs()).containsExactly(Hyperslab.of());
  }
}
