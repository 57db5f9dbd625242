package io.arraymorph.layout.zarr.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Whole writes of grids, as Spark's driver and tasks do them, for tests. */
final class GridWrites {
  private static final int TASKS = 3;

  private GridWrites() {}

  /** Creates or replaces; an array if the one name is empty, else a group. */
  static void save(StorePath target, Map<String, Grid> grids, ClaimPolicy policy) {
    try (TargetClaim claim = TargetClaim.take(target, "test", "save", policy)) {
      List<String> names = List.copyOf(grids.keySet());
      NodeWrite write = claim.exists() ? claim.replace() : claim.create(names);
      run(
          write,
          () -> {
            List<WrittenArray> arrays = new ArrayList<>();
            Map<String, byte[]> documents = new LinkedHashMap<>();
            for (Map.Entry<String, Grid> grid : grids.entrySet()) {
              byte[] document = grid.getValue().document(claim.uuid());
              StorePath path = path(target, grid.getKey());
              documents.put(grid.getKey(), document);
              arrays.add(
                  WrittenArray.whole(
                      grid.getKey(),
                      ZarrArray.parse(path, document),
                      grid.getValue().shape().toArray()));
            }
            WriteTicket ticket = write.ticket(arrays, WriteTicket.Duplicates.ERROR);
            List<TaskChunks> tasks = new ArrayList<>();
            int number = 0;
            for (Grid grid : grids.values()) {
              grid.write(target, arrays, number++, ticket, 0, TASKS, tasks);
            }
            write.commit(ticket, arrays, tasks, documents(claim.uuid(), names, documents));
          });
    }
  }

  /** Appends rows to every array of the target. */
  static void append(StorePath target, Map<String, Grid> below, ClaimPolicy policy) {
    try (TargetClaim claim = TargetClaim.take(target, "test", "append", policy)) {
      NodeAppend write = claim.append();
      run(
          write,
          () -> {
            assertThat(write.document("")).isPresent();
            List<String> names = List.copyOf(below.keySet());
            List<WrittenArray> arrays = new ArrayList<>();
            Map<String, byte[]> documents = new LinkedHashMap<>();
            String generation = "";
            List<Long> firsts = new ArrayList<>();
            for (Map.Entry<String, Grid> grid : below.entrySet()) {
              StorePath path = path(target, grid.getKey());
              byte[] document =
                  TargetObjects.bytes(
                      (com.fasterxml.jackson.databind.node.ObjectNode)
                          write.document(grid.getKey()).orElseThrow());
              ZarrArray old = ZarrArray.parse(path, document);
              generation = old.attributes().path("_arraymorph").path("generation").asText();
              Shape shape = old.schema().shape();
              long rows = shape.length(0) + grid.getValue().shape().length(0);
              Grid grown =
                  new Grid(
                      Shape.of(rows, shape.length(1)),
                      grid.getValue().chunks(),
                      grid.getValue().shards(),
                      List.of());
              documents.put(grid.getKey(), grown.document(generation));
              firsts.add(shape.length(0));
              arrays.add(
                  WrittenArray.grown(
                      grid.getKey(), old, 0, shape.length(0), rows, shape.length(1)));
            }
            WriteTicket ticket = write.ticket(arrays, WriteTicket.Duplicates.ERROR);
            List<TaskChunks> tasks = new ArrayList<>();
            int number = 0;
            for (Grid grid : below.values()) {
              long first = firsts.get(number);
              grid.write(target, arrays, number++, ticket, first, TASKS, tasks);
            }
            write.commit(ticket, arrays, tasks, documents(generation, names, documents));
          });
    }
  }

  /** Every array at or below the target, by name; empty if there is no node. */
  static Map<String, Grid> read(StorePath target) {
    Map<String, Grid> grids = new TreeMap<>();
    ZarrNode node;
    try {
      node = ZarrNodes.open(target);
    } catch (ArrayMorphException absent) {
      if (absent.code() == ErrorCode.NOT_AN_ARRAY) {
        return grids;
      }
      throw absent;
    }
    if (node instanceof ZarrArray) {
      grids.put("", Grid.read(target, (ZarrArray) node));
    } else {
      for (ZarrNode child : ((ZarrGroup) node).children()) {
        grids.put(child.name(), Grid.read(target, (ZarrArray) child));
      }
    }
    return grids;
  }

  static boolean same(Map<String, Grid> some, Map<String, Grid> others) {
    return some.keySet().equals(others.keySet())
        && some.entrySet().stream()
            .allMatch(grid -> grid.getValue().sameValues(others.get(grid.getKey())));
  }

  static List<String> keys(ObjectStore store) {
    return store.list("", "", "").join().objects().stream().map(ObjectStat::key).toList();
  }

  static StorePath path(StorePath target, String member) {
    return member.isEmpty() ? target : target.resolve(member);
  }

  private static NodeDocuments documents(
      String generation, List<String> names, Map<String, byte[]> documents) {
    return names.equals(List.of(""))
        ? NodeDocuments.array(documents.get(""))
        : NodeDocuments.group(
            documents, Grid.groupDocument(generation, names, List.copyOf(documents.values())));
  }

  private static void run(NodeWrite write, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException failure) {
      try {
        write.abort();
      } catch (RuntimeException again) {
        failure.addSuppressed(again);
      }
      throw failure;
    }
  }
}
