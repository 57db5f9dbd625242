package io.arraymorph.layout.zarr;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Damaged metadata and chunks give a coded error or values, never anything else, in bounded time
 * and memory. {@code -Dfuzz.seconds=3600} runs longer, {@code -Dfuzz.seed=..} repeats.
 */
class ZarrFuzzTest {
  private static final long SECONDS = Long.getLong("fuzz.seconds", 45);
  private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime());
  private static final long MOST_BYTES = 256L << 20;

  /** Of processor time: a machine that is busy or halts the process is no finding. */
  private static final long MOST_NANOS = 10_000_000_000L;

  private static final int LARGEST_FILE = 1 << 16;

  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** The files of each array, and the metadata of each group, by their path below it. */
  private static List<Map<String, byte[]>> nodes() {
    List<Map<String, byte[]>> arrays = new ArrayList<>();
    for (Fixture fixture : Fixture.all()) {
      if (!fixture.isArray()) {
        Map<String, byte[]> files = files(Fixture.ROOT.resolve(fixture.path()));
        files.keySet().removeIf(f -> !isDocument(f));
        for (int weight = 0; weight < 10; weight++) {
          arrays.add(files);
        }
      }
      if (fixture.isArray() && !fixture.expected().equals("error")) {
        Path folder =
            Fixture.ROOT.resolve(fixture.path()).resolve(fixture.entry().path("array").asText());
        Map<String, byte[]> files = files(folder);
        if (files.size() < 40 && files.values().stream().allMatch(b -> b.length < LARGEST_FILE)) {
          arrays.add(files);
        }
      }
    }
    return arrays;
  }

  private static Map<String, byte[]> files(Path folder) {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> found = Files.walk(folder)) {
      for (Path file : found.filter(Files::isRegularFile).toList()) {
        files.put(folder.relativize(file).toString(), Files.readAllBytes(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  @Test
  void damageGivesACodedErrorOrValues() {
    List<Map<String, byte[]>> arrays = nodes();
    assertThat(arrays).hasSizeGreaterThan(400);
    System.out.println("fuzz.seed=" + SEED);
    Random seeds = new Random(SEED);
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    Map<String, Integer> outcomes = new TreeMap<>();
    long rounds = 0;
    while (System.nanoTime() < end) {
      long seed = seeds.nextLong();
      Random random = new Random(seed);
      Map<String, byte[]> files = new TreeMap<>(arrays.get(random.nextInt(arrays.size())));
      String changed = damage(files, random);
      String what = "round " + rounds + " of fuzz.seed=" + SEED + ", " + changed;
      long nanos = THREADS.getCurrentThreadCpuTime();
      long allocated = THREADS.getCurrentThreadAllocatedBytes();
      String outcome = outcome(files, what);
      assertThat(THREADS.getCurrentThreadAllocatedBytes() - allocated)
          .as(what)
          .isLessThan(MOST_BYTES);
      assertThat(THREADS.getCurrentThreadCpuTime() - nanos).as(what).isLessThan(MOST_NANOS);
      outcomes.merge(outcome, 1, Integer::sum);
      rounds++;
    }
    System.out.println(rounds + " rounds: " + outcomes);
    assertThat(outcomes).containsKeys("values", "group", "METADATA_INVALID", "CHUNK_CORRUPT");
  }

  private static boolean isDocument(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return name.equals("zarr.json") || name.startsWith(".z");
  }

  /** Changes metadata or chunks; what was changed. */
  private static String damage(Map<String, byte[]> files, Random random) {
    List<String> documents = files.keySet().stream().filter(ZarrFuzzTest::isDocument).toList();
    List<String> chunks = files.keySet().stream().filter(f -> !documents.contains(f)).toList();
    if (chunks.isEmpty() || random.nextBoolean()) {
      String document = documents.get(random.nextInt(documents.size()));
      byte[] mutated = JsonMutation.document(files.get(document), random);
      files.put(document, mutated);
      return document + " = " + new String(mutated, java.nio.charset.StandardCharsets.UTF_8);
    }
    String chunk = chunks.get(random.nextInt(chunks.size()));
    byte[] mutated = JsonMutation.bytes(files.get(chunk), random);
    files.put(chunk, mutated);
    byte[] document = files.get(documents.get(0));
    return chunk
        + " = "
        + Arrays.toString(mutated)
        + " of "
        + new String(document, java.nio.charset.StandardCharsets.UTF_8);
  }

  private static String outcome(Map<String, byte[]> files, String what) {
    RecordingObjectStore store = new RecordingObjectStore(new MemoryObjectStore("fuzz"));
    try (store) {
      files.forEach(
          (name, bytes) ->
              store.put("a/" + name, ByteBuffer.wrap(bytes), WriteCondition.NONE).join());
      ZarrNode node = ZarrNodes.open(new StorePath(store, "a"));
      if (node instanceof ZarrGroup) {
        walk((ZarrGroup) node, 0);
        assertThat(store.requests()).as(what).allMatch(r -> r.key().startsWith("a/"));
        return "group";
      }
      ZarrArray array = (ZarrArray) node;
      Hyperslab box = corner(array.schema().shape());
      long chunk =
          ChunkShapes.largest(array.grid()).elementCount()
              * Math.max(8, array.schema().dataType().byteWidth());
      ChunkLoop.read(array, box, new PartialDecoder());
      if (chunk < MOST_BYTES / 8) {
        ChunkLoop.read(array, box, ChunkLoop.WHOLE);
      }
      return "values";
    } catch (ArrayMorphException e) {
      assertThat(e.getMessage()).as(what).startsWith("[" + e.code().label() + "] ");
      return e.code().name();
    } catch (CodecException e) {
      return "CHUNK_CORRUPT";
    } catch (RuntimeException | Error e) {
      throw new AssertionError(what, e);
    }
  }

  private static void walk(ZarrGroup group, int depth) {
    for (ZarrNode child : group.children()) {
      if (child instanceof ZarrGroup && depth < 10) {
        walk((ZarrGroup) child, depth + 1);
      }
    }
  }

  /** At most a few elements along each dimension, a few thousand in all. */
  private static Hyperslab corner(Shape shape) {
    IndexRange[] ranges = new IndexRange[shape.rank()];
    long elements = 1;
    for (int d = 0; d < ranges.length; d++) {
      long length = Math.min(shape.length(d), Math.max(1, Math.min(8, 4096 / elements)));
      ranges[d] = IndexRange.of(0, length);
      elements *= Math.max(1, length);
    }
    return Hyperslab.of(ranges);
  }
}
