package io.arraymorph.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.StorePath;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Reads an array of the corpus through {@link HyperslabReader}. */
final class WithoutSpark {
  private static final List<String> PLANNERS = List.of("auto", "get", "range", "merge", "paper");

  private WithoutSpark() {}

  static void compare(
      Path folder, JsonNode expected, Random random, String what, Map<String, Integer> tally) {
    ReadSettings settings =
        ReadSettings.DEFAULT.withPlanner(
            AccessPlanner.named(PLANNERS.get(random.nextInt(PLANNERS.size()))));
    if (random.nextBoolean()) {
      settings = settings.withConcurrency(3).withWindow(5, 500).withCaches(300, 200);
    }
    String how = what + ", " + settings;
    try (LocalObjectStore store = new LocalObjectStore(folder.getParent());
        HyperslabReader reader = new HyperslabReader(settings)) {
      ZarrArray array = ZarrNodes.openArray(new StorePath(store, folder.getFileName().toString()));
      Shape shape = array.schema().shape();
      Elements whole = reader.read(array, Hyperslab.all(shape));
      assertThat(digest(whole)).as(how).isEqualTo(expected.get("values").asText());
      for (JsonNode part : expected.get("selections")) {
        Elements selected = select(reader, array, axes(part));
        assertThat(digest(selected))
            .as(part.get("axes") + " of " + how)
            .isEqualTo(part.get("values").asText());
        tally.merge("parts", 1, Integer::sum);
      }
    }
    tally.merge("read", 1, Integer::sum);
  }

  static long[][] axes(JsonNode part) {
    List<long[]> axes = new ArrayList<>();
    for (JsonNode axis : part.get("axes")) {
      long[] indices = new long[axis.size()];
      Arrays.setAll(indices, i -> axis.get(i).asLong());
      axes.add(indices);
    }
    return axes.toArray(long[][]::new);
  }

  /** A hyperslab at once where the axes are one, else chunk by chunk. */
  private static Elements select(HyperslabReader reader, ZarrArray array, long[][] axes) {
    IndexRange[] ranges = new IndexRange[axes.length];
    List<IndexSet> sets = new ArrayList<>();
    for (int d = 0; d < axes.length; d++) {
      ranges[d] = range(axes[d]);
      sets.add(IndexSet.ofIndices(axes[d]));
    }
    if (Arrays.stream(ranges).allMatch(r -> r != null)) {
      return reader.read(array, Hyperslab.of(ranges));
    }
    long[] counts = Arrays.stream(axes).mapToLong(a -> a.length).toArray();
    ElementsAssembly assembly = ElementsAssembly.of(array.schema().dataType(), Shape.of(counts));
    Selection selection = Selection.of(axes.length, List.of(OrthogonalSelection.of(sets)));
    reader.read(array, selection, (part, elements) -> place(assembly, axes, part, elements));
    return assembly.finish();
  }

  /** The packed place of a part: its indices are neighbours in the lists of the axes. */
  private static void place(
      ElementsAssembly assembly, long[][] axes, ChunkSelection part, Elements elements) {
    IndexRange[] packed = new IndexRange[axes.length];
    for (int d = 0; d < axes.length; d++) {
      IndexRange range = part.absolute().range(d);
      int first = Arrays.binarySearch(axes[d], range.start());
      assertThat(first).isNotNegative();
      int step =
          range.count() < 2
              ? 1
              : Arrays.binarySearch(axes[d], range.start() + range.stride()) - first;
      packed[d] = new IndexRange(first, first + (range.count() - 1) * step + 1, step);
    }
    assembly.place(elements, Hyperslab.of(packed));
  }

  /** The indices as one range, or null. */
  static IndexRange range(long[] indices) {
    long stride = indices.length < 2 ? 1 : indices[1] - indices[0];
    for (int i = 1; i < indices.length; i++) {
      if (indices[i] - indices[i - 1] != stride) {
        return null;
      }
    }
    return new IndexRange(indices[0], indices[indices.length - 1] + 1, stride);
  }

  private static String digest(Elements elements) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(packed(elements));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] packed(Elements elements) {
    if (elements instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) elements;
      int end = fixed.offset() + (int) fixed.byteSize();
      return Arrays.copyOfRange(fixed.bytes(), fixed.offset(), end);
    }
    VariableWidthElements variable = (VariableWidthElements) elements;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < variable.count(); i++) {
      int start = variable.offsets()[i];
      int length = variable.offsets()[i + 1] - start;
      bytes.writeBytes(
          ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(length).array());
      bytes.write(variable.bytes(), start, length);
    }
    return bytes.toByteArray();
  }
}
