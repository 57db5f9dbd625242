package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrGroupSpec;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates, replaces and grows arrays by one process: claims the target, writes chunk object by
 * chunk object, publishes; after a failure nothing is left.
 */
public final class NodeSaver {
  private static final long OPEN_BYTES = 256L << 20;

  private final StorePath target;
  private final String writer;

  /**
   * Saves at a place.
   *
   * @param writer who writes, as others see it in the claim
   */
  public NodeSaver(StorePath target, String writer) {
    this.target = target;
    this.writer = writer;
  }

  /**
   * Creates or replaces a node.
   *
   * @param group attributes of the group; empty if the one array is the target
   * @param mode not APPEND
   * @return false if there was a node and the mode leaves it
   */
  public boolean save(WriteMode mode, Optional<ObjectNode> group, List<NewArray> arrays) {
    String operation = mode == WriteMode.OVERWRITE ? "overwrite" : "create";
    try (TargetClaim claim = TargetClaim.take(target, writer, operation, ClaimPolicy.DEFAULT)) {
      boolean exists = claim.exists();
      if (exists && mode == WriteMode.IGNORE) {
        return false;
      }
      boolean replaces = exists && mode == WriteMode.OVERWRITE;
      List<String> members = arrays.stream().map(NewArray::member).toList();
      NodeWrite write = replaces ? claim.replace() : claim.create(members);
      Map<String, byte[]> documents = new LinkedHashMap<>();
      List<WrittenArray> written = new ArrayList<>();
      for (NewArray array : arrays) {
        byte[] document = array.document(claim.uuid());
        documents.put(array.member(), document);
        written.add(
            WrittenArray.whole(
                array.member(),
                ZarrArray.parse(path(array.member()), document),
                array.spec().shape().toArray()));
      }
      List<Job> jobs = new ArrayList<>();
      for (NewArray array : arrays) {
        jobs.add(new Job(Hyperslab.all(array.spec().shape()), array.source()));
      }
      run(write, written, jobs, documents(claim.uuid(), group, documents));
      return true;
    }
  }

  private StorePath path(String member) {
    return member.isEmpty() ? target : target.resolve(member);
  }

  private static NodeDocuments documents(
      String generation, Optional<ObjectNode> group, Map<String, byte[]> documents) {
    if (group.isEmpty()) {
      return NodeDocuments.array(documents.get(""));
    }
    ZarrGroupSpec root = ZarrGroupSpec.of(NewArray.marked(group.get(), generation));
    for (Map.Entry<String, byte[]> document : documents.entrySet()) {
      root = root.withNode(document.getKey(), document.getValue());
    }
    return NodeDocuments.group(documents, root.toJson());
  }

  /**
   * Lets the array at the target grow along an axis.
   *
   * @param axisName the dimension; empty for the first
   * @param type of the new elements
   * @param added shape of the new elements
   * @param source the new elements
   */
  public void append(String axisName, DataType type, Shape added, ArraySource source) {
    try (TargetClaim claim = TargetClaim.take(target, writer, "append", ClaimPolicy.DEFAULT)) {
      NodeAppend write = claim.append();
      JsonNode document =
          write
              .document("")
              .filter(d -> d.path("node_type").asText().equals("array"))
              .orElseThrow(
                  () ->
                      new ArrayMorphException(
                          ErrorCode.NOT_AN_ARRAY,
                          "there is no Zarr v3 array at " + target,
                          "Append to an array, or create it first"));
      ZarrArray old = ZarrArray.parse(target, bytes(document));
      int axis = axis(old, axisName);
      Shape shape = grown(old, axis, type, added);
      long first = old.schema().shape().length(axis);
      long[] start = new long[shape.rank()];
      start[axis] = first;
      WrittenArray written = WrittenArray.grown("", old, axis, first, shape.toArray());
      ObjectNode grown = document.deepCopy();
      ArrayNode lengths = grown.putArray("shape");
      for (long length : shape.toArray()) {
        lengths.add(length);
      }
      Job job = new Job(Hyperslab.box(start, shape.toArray()), source);
      run(write, List.of(written), List.of(job), NodeDocuments.array(bytes(grown)));
    }
  }

  private static byte[] bytes(JsonNode document) {
    return document.toPrettyString().getBytes(StandardCharsets.UTF_8);
  }

  private static int axis(ZarrArray array, String name) {
    int axis = name.isEmpty() ? 0 : array.schema().dimensionNames().indexOf(name);
    if (axis < 0 || axis >= array.schema().shape().rank()) {
      throw new ArrayMorphException(
          ErrorCode.UNKNOWN_DIMENSION,
          "there is no dimension '" + name + "' in " + array.path(),
          "Its dimensions are " + array.schema().dimensionNames());
    }
    return axis;
  }

  private static Shape grown(ZarrArray old, int axis, DataType type, Shape added) {
    if (!old.schema().dataType().equals(type)) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          old.path()
              + " has type "
              + old.schema().dataType().zarrName()
              + ", the new elements "
              + type.zarrName(),
          "Convert them to the type of the array");
    }
    long[] lengths = old.schema().shape().toArray();
    boolean fits = lengths.length == added.rank();
    for (int d = 0; fits && d < lengths.length; d++) {
      fits = d == axis || lengths[d] == added.length(d);
    }
    if (!fits) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          "shape "
              + added
              + " does not continue "
              + old.path()
              + " of shape "
              + old.schema().shape(),
          "All lengths but that of the dimension that grows must be equal");
    }
    lengths[axis] = Math.addExact(lengths[axis], added.length(axis));
    return Shape.of(lengths);
  }

  /**
   * What is written of one array.
   *
   * @param region the cells, in the array's indices
   * @param source asked for boxes relative to the region's start
   */
  private record Job(Hyperslab region, ArraySource source) {

    void run(ChunkWriter writer) {
      Shape objectShape = writer.array().objectShape();
      long[] end = new long[region.rank()];
      long[] start = new long[region.rank()];
      for (int d = 0; d < end.length; d++) {
        end[d] = region.range(d).stop();
        start[d] = region.range(d).start();
      }
      Iterator<ChunkSelection> objects =
          ChunkSelections.of(new RegularChunkGrid(Shape.of(end), objectShape), region).iterator();
      long[] back = start.clone();
      for (int d = 0; d < back.length; d++) {
        back[d] = -back[d];
      }
      Iterator<Hyperslab> boxes =
          new Iterator<>() {
            @Override
            public boolean hasNext() {
              return objects.hasNext();
            }

            @Override
            public Hyperslab next() {
              return objects.next().absolute().shift(back);
            }
          };
      source.read(
          boxes,
          (box, elements) -> {
            long[] at = box.ranges().stream().mapToLong(IndexRange::start).toArray();
            for (int d = 0; d < at.length; d++) {
              at[d] += start[d];
            }
            writer.write(at, elements);
          });
    }
  }

  private void run(
      NodeWrite write, List<WrittenArray> arrays, List<Job> jobs, NodeDocuments documents) {
    try {
      WriteTicket ticket = write.ticket(arrays, WriteTicket.Duplicates.ERROR);
      TaskWrite task = new TaskWrite(target, arrays, ticket, 0, "driver", OPEN_BYTES, true);
      TaskChunks chunks;
      try {
        for (int i = 0; i < jobs.size(); i++) {
          jobs.get(i).run(task.writer(i));
        }
        chunks = task.finish();
      } catch (RuntimeException failure) {
        attempt(task::abort, failure);
        throw failure;
      }
      write.commit(ticket, arrays, List.of(chunks), documents);
    } catch (RuntimeException failure) {
      attempt(write::abort, failure);
      throw failure instanceof StoreException ? ((StoreException) failure).toUser() : failure;
    }
  }

  private static void attempt(Runnable cleanup, RuntimeException failure) {
    try {
      cleanup.run();
    } catch (RuntimeException again) {
      failure.addSuppressed(again);
    }
  }
}
