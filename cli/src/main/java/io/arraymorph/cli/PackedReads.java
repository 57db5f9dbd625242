package io.arraymorph.cli;

import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.optimizer.execute.ElementStream;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.function.BiConsumer;

/**
 * Reads a product of indices as if it were an array of its own, box by box and ahead.
 *
 * @param array where the elements are
 * @param selection which of them; position {@code p} along a dimension is its {@code p}-th index
 */
record PackedReads(ChunkedArray array, OrthogonalSelection selection) {

  /** A part of a box that is one hyperslab of the array, and its place in the box. */
  private record Part(Hyperslab hyperslab, Hyperslab place) {}

  /** The shape of the selection when packed. */
  Shape shape() {
    return selection.counts();
  }

  /**
   * Reads boxes of positions and gives each with its elements to a sink, in order.
   *
   * @param boxes contiguous, within {@link #shape()}, each small enough for memory
   */
  void read(
      HyperslabReader reader, Iterator<Hyperslab> boxes, BiConsumer<Hyperslab, Elements> sink) {
    Queue<Hyperslab> asked = new ArrayDeque<>();
    Queue<List<Part>> parts = new ArrayDeque<>();
    Iterator<ReadRequest> requests = new Requests(boxes, asked, parts);
    try (ElementStream stream = reader.stream(requests)) {
      while (stream.hasNext()) {
        Elements first = stream.next();
        Hyperslab box = asked.remove();
        List<Part> cut = parts.remove();
        if (cut.size() == 1) {
          sink.accept(box, first);
          continue;
        }
        ElementsAssembly assembly = ElementsAssembly.of(array.schema().dataType(), box.counts());
        assembly.place(first, cut.get(0).place());
        for (Part part : cut.subList(1, cut.size())) {
          assembly.place(stream.next(), part.place());
        }
        sink.accept(box, assembly.finish());
      }
    }
  }

  /** Cuts boxes into hyperslabs as the stream asks for them. */
  private final class Requests implements Iterator<ReadRequest> {
    private final Iterator<Hyperslab> boxes;
    private final Queue<Hyperslab> asked;
    private final Queue<List<Part>> parts;
    private Iterator<Part> current = List.<Part>of().iterator();

    Requests(Iterator<Hyperslab> boxes, Queue<Hyperslab> asked, Queue<List<Part>> parts) {
      this.boxes = boxes;
      this.asked = asked;
      this.parts = parts;
    }

    @Override
    public boolean hasNext() {
      while (!current.hasNext() && boxes.hasNext()) {
        Hyperslab box = boxes.next();
        List<Part> cut = parts(box);
        if (!cut.isEmpty()) {
          asked.add(box);
          parts.add(cut);
          current = cut.iterator();
        }
      }
      return current.hasNext();
    }

    @Override
    public ReadRequest next() {
      if (!hasNext()) {
        throw new java.util.NoSuchElementException();
      }
      return new ReadRequest(array, current.next().hyperslab());
    }
  }

  private List<Part> parts(Hyperslab box) {
    List<IndexSet> indices = new ArrayList<>();
    for (int d = 0; d < box.rank(); d++) {
      indices.add(selection.indices(d).slice(box.range(d).start(), box.range(d).stop()));
    }
    List<Part> parts = new ArrayList<>();
    for (Hyperslab hyperslab : OrthogonalSelection.of(indices).hyperslabs()) {
      IndexRange[] place = new IndexRange[box.rank()];
      for (int d = 0; d < place.length; d++) {
        IndexRange range = hyperslab.range(d);
        long before = indices.get(d).clip(0, range.start()).count();
        place[d] = IndexRange.of(before, before + range.count());
      }
      parts.add(new Part(hyperslab, Hyperslab.of(place)));
    }
    return parts;
  }
}
