package io.arraymorph.array;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Copies the elements of a hyperslab of one C-order array to a hyperslab of another.
 *
 * <p>Dimensions that are contiguous on both sides are joined, so that each inner step is one bulk
 * copy or a loop over whole elements. Elements may have any width in bytes.
 */
public final class HyperslabCopy {
  private static final VarHandle SHORTS = view(short[].class);
  private static final VarHandle INTS = view(int[].class);
  private static final VarHandle LONGS = view(long[].class);

  private HyperslabCopy() {}

  private static VarHandle view(Class<?> arrayType) {
    return MethodHandles.byteArrayViewVarHandle(arrayType, ByteOrder.nativeOrder());
  }

  /**
   * The elements of a hyperslab as a packed array of their own; the same object if the hyperslab is
   * all of {@code elements}.
   */
  public static Elements pack(Elements elements, Hyperslab hyperslab) {
    if (hyperslab.covers(elements.shape())) {
      return elements;
    }
    if (elements instanceof VariableWidthElements) {
      return VariableWidthCopy.pack((VariableWidthElements) elements, hyperslab);
    }
    FixedWidthElements source = (FixedWidthElements) elements;
    int width = source.type().byteWidth();
    Shape counts = hyperslab.counts();
    byte[] packed = new byte[Math.toIntExact(Math.multiplyExact(counts.elementCount(), width))];
    pack(source.bytes(), source.offset(), source.shape(), hyperslab, packed, 0, width);
    return new FixedWidthElements(source.type(), counts, packed, 0);
  }

  /**
   * Copies the elements of {@code hyperslab} of an array to a packed array.
   *
   * @param source holds an array of {@code sourceShape} from byte {@code sourceOffset} on
   * @param target receives the elements from byte {@code targetOffset} on
   * @param width bytes of one element
   */
  public static void pack(
      byte[] source,
      int sourceOffset,
      Shape sourceShape,
      Hyperslab hyperslab,
      byte[] target,
      int targetOffset,
      int width) {
    Shape counts = hyperslab.counts();
    copy(
        source,
        sourceOffset,
        sourceShape,
        hyperslab,
        target,
        targetOffset,
        counts,
        Hyperslab.all(counts),
        width);
  }

  /**
   * Copies a packed array to the elements of {@code hyperslab} of a larger array.
   *
   * @param source holds the elements from byte {@code sourceOffset} on
   * @param target holds an array of {@code targetShape} from byte {@code targetOffset} on
   * @param width bytes of one element
   */
  public static void place(
      byte[] source,
      int sourceOffset,
      byte[] target,
      int targetOffset,
      Shape targetShape,
      Hyperslab hyperslab,
      int width) {
    Shape counts = hyperslab.counts();
    copy(
        source,
        sourceOffset,
        counts,
        Hyperslab.all(counts),
        target,
        targetOffset,
        targetShape,
        hyperslab,
        width);
  }

  /**
   * Copies the elements of one hyperslab to those of another with the same counts, in C order.
   *
   * @throws IllegalArgumentException if the counts differ
   */
  public static void copy(
      byte[] source,
      int sourceOffset,
      Shape sourceShape,
      Hyperslab sourceSlab,
      byte[] target,
      int targetOffset,
      Shape targetShape,
      Hyperslab targetSlab,
      int width) {
    if (!sourceSlab.counts().equals(targetSlab.counts())) {
      throw new IllegalArgumentException(sourceSlab + " and " + targetSlab + " differ in counts");
    }
    if (sourceSlab.isEmpty()) {
      return;
    }
    int rank = sourceShape.rank();
    int[] counts = new int[rank + 1];
    int[] sourceSteps = new int[rank + 1];
    int[] targetSteps = new int[rank + 1];
    // Innermost "dimension": the bytes of one element.
    int outer = rank;
    counts[outer] = width;
    sourceSteps[outer] = 1;
    targetSteps[outer] = 1;
    long sourceStart = sourceOffset;
    long targetStart = targetOffset;
    long sourceWeight = width;
    long targetWeight = width;
    for (int d = rank - 1; d >= 0; d--) {
      IndexRange from = sourceSlab.range(d);
      IndexRange to = targetSlab.range(d);
      sourceStart += from.start() * sourceWeight;
      targetStart += to.start() * targetWeight;
      if (from.count() > 1) {
        int count = Math.toIntExact(from.count());
        int sourceStep = Math.toIntExact(from.stride() * sourceWeight);
        int targetStep = Math.toIntExact(to.stride() * targetWeight);
        if (sourceStep == (long) counts[outer] * sourceSteps[outer]
            && targetStep == (long) counts[outer] * targetSteps[outer]) {
          counts[outer] *= count;
        } else {
          outer--;
          counts[outer] = count;
          sourceSteps[outer] = sourceStep;
          targetSteps[outer] = targetStep;
        }
      }
      sourceWeight *= sourceShape.length(d);
      targetWeight *= targetShape.length(d);
    }
    Loop loop =
        new Loop(
            source,
            target,
            Arrays.copyOfRange(counts, outer, rank + 1),
            Arrays.copyOfRange(sourceSteps, outer, rank + 1),
            Arrays.copyOfRange(targetSteps, outer, rank + 1));
    loop.run(0, Math.toIntExact(sourceStart), Math.toIntExact(targetStart));
  }

  /** Nested loops over joined dimensions; the last is a run of contiguous bytes. */
  // Lives for one copy; never compared.
  @SuppressWarnings("ArrayRecordComponent")
  private record Loop(
      byte[] source, byte[] target, int[] counts, int[] sourceSteps, int[] targetSteps) {

    void run(int level, int from, int to) {
      int last = counts.length - 1;
      if (level == last) {
        System.arraycopy(source, from, target, to, counts[last]);
      } else if (level == last - 1) {
        runs(counts[level], sourceSteps[level], targetSteps[level], counts[last], from, to);
      } else {
        for (int i = 0; i < counts[level]; i++) {
          run(level + 1, from + i * sourceSteps[level], to + i * targetSteps[level]);
        }
      }
    }

    private void runs(int count, int sourceStep, int targetStep, int bytes, int from, int to) {
      switch (bytes) {
        case 1:
          for (int i = 0; i < count; i++) {
            target[to + i * targetStep] = source[from + i * sourceStep];
          }
          break;
        case 2:
          for (int i = 0; i < count; i++) {
            SHORTS.set(
                target, to + i * targetStep, (short) SHORTS.get(source, from + i * sourceStep));
          }
          break;
        case 4:
          for (int i = 0; i < count; i++) {
            INTS.set(target, to + i * targetStep, (int) INTS.get(source, from + i * sourceStep));
          }
          break;
        case 8:
          for (int i = 0; i < count; i++) {
            LONGS.set(target, to + i * targetStep, (long) LONGS.get(source, from + i * sourceStep));
          }
          break;
        default:
          for (int i = 0; i < count; i++) {
            System.arraycopy(source, from + i * sourceStep, target, to + i * targetStep, bytes);
          }
      }
    }
  }
}
