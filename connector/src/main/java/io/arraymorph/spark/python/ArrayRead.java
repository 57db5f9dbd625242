package io.arraymorph.spark.python;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.npy.NpyType;
import io.arraymorph.layout.npy.NpyValues;
import io.arraymorph.layout.zarr.ReplacementCheck;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.execute.ElementStream;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.PartSink;
import io.arraymorph.optimizer.execute.ReadRequest;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.execute.StoredSink;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Reads a selection of one array for Python, chunk by chunk as they arrive.
 *
 * @param member the array
 * @param selection which of its cells
 * @param decode true to apply CF
 * @param function the slice function that may be called
 */
record ArrayRead(
    Member member,
    OrthogonalSelection selection,
    boolean decode,
    ReadSettings settings,
    Optional<SliceFunction> function) {
  /** Larger chunks are read in parts. */
  private static final long MAX_REQUEST_BYTES = 256L << 20;

  ObjectNode layout() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.set("shape", IndexJson.lengths(selection.counts()));
    if (member.isText(decode)) {
      return node.put("dtype", "object");
    }
    NpyValues values = values();
    node.put("dtype", NpyType.descr(values.type()));
    return node.put("bytes", bytes(values));
  }

  private NpyValues values() {
    return NpyValues.of(member.variable(), decode);
  }

  private long bytes(NpyValues values) {
    try {
      return Math.multiplyExact(selection.elementCount(), (long) values.type().byteWidth());
    } catch (ArithmeticException e) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "cells of shape " + selection.counts() + " are more than 2^63 bytes",
          "Select fewer",
          e);
    }
  }

  /** Starts to give the cells to Python; says there how it ended. */
  DriverJob into(StagedOutput output) {
    HyperslabReader reader = new HyperslabReader(settings, function);
    boolean isText = member.isText(decode);
    return DriverJob.start(
        isText ? selection.elementCount() : bytes(values()),
        done -> {
          boolean well = false;
          try (reader) {
            if (isText) {
              texts(reader, output);
            } else {
              numbers(reader, output);
            }
            well = true;
          } finally {
            output.end(well);
          }
        },
        reader::close);
  }

  private void numbers(HyperslabReader reader, StagedOutput output) {
    NpyValues values = values();
    int width = values.type().byteWidth();
    read(
        reader,
        place ->
            Optional.of(
                new PartSink() {
                  @Override
                  public void accept(Elements raw, Hyperslab at) {
                    output.put((FixedWidthElements) values.of(raw), at.within(place));
                  }

                  @Override
                  public Optional<StoredSink> ofStored() {
                    return values.isAsStored()
                        ? Optional.of((bytes, at) -> output.put(bytes, width, at.within(place)))
                        : Optional.empty();
                  }
                }),
        (place, nothing) -> {});
  }

  private void texts(HyperslabReader reader, StagedOutput output) {
    ZarrArray array = member.array();
    ElementsAssembly assembly = ElementsAssembly.of(array.schema().dataType(), selection.counts());
    read(reader, place -> Optional.empty(), (place, raw) -> assembly.place(raw, place));
    CfDecoding decoding =
        decode ? member.variable().decoding() : CfDecoding.raw(array.schema().dataType());
    TextBytes.put(decoding.decode(assembly.finish()), output);
  }

  /**
   * Reads each touched chunk.
   *
   * @param sinks takes what is decoded, for a place in the packed result, if it does
   * @param results takes what was not given to a sink, with its place in the packed result
   */
  private void read(
      HyperslabReader reader,
      Function<Hyperslab, Optional<PartSink>> sinks,
      BiConsumer<Hyperslab, Elements> results) {
    ZarrArray array = member.array();
    Iterable<ChunkSelection> parts = ChunkSelections.of(requestGrid(array), selection);
    Iterator<ChunkSelection> ahead = parts.iterator();
    SelectionPlaces places = new SelectionPlaces(selection);
    Iterator<ReadRequest> requests =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return ahead.hasNext();
          }

          @Override
          public ReadRequest next() {
            Hyperslab part = ahead.next().absolute();
            return new ReadRequest(array, part, sinks.apply(places.of(part)));
          }
        };
    try (ElementStream stream = reader.stream(requests)) {
      for (ChunkSelection part : parts) {
        results.accept(places.of(part.absolute()), stream.next());
      }
    }
    ReplacementCheck.verify(array.path(), ReplacementCheck.generation(array.attributes()));
  }

  /** What is requested at once: what is decoded at once, unless that is too large. */
  private static ChunkGrid requestGrid(ZarrArray array) {
    Shape chunk = array.readChunkShape();
    int width = Math.max(1, array.schema().dataType().byteWidth());
    long[] lengths = chunk.toArray();
    for (int d = 0; d < lengths.length; d++) {
      while (lengths[d] > 1 && bytes(lengths, width) > MAX_REQUEST_BYTES) {
        lengths[d] = (lengths[d] + 1) / 2;
      }
    }
    Shape request = Shape.of(lengths);
    boolean stored = !(array.grid() instanceof RegularChunkGrid);
    return stored && request.equals(chunk)
        ? array.grid()
        : new RegularChunkGrid(array.schema().shape(), request);
  }

  private static double bytes(long[] lengths, int width) {
    double bytes = width;
    for (long length : lengths) {
      bytes *= length;
    }
    return bytes;
  }

  /** Where the hyperslabs of a product lie when the product is packed. */
  private static final class SelectionPlaces {
    private final OrthogonalSelection selection;
    private final long[][] before;

    SelectionPlaces(OrthogonalSelection selection) {
      this.selection = selection;
      this.before = new long[selection.rank()][];
      for (int d = 0; d < before.length; d++) {
        var ranges = selection.indices(d).ranges();
        before[d] = new long[ranges.size()];
        for (int r = 1; r < before[d].length; r++) {
          before[d][r] = before[d][r - 1] + ranges.get(r - 1).count();
        }
      }
    }

    Hyperslab of(Hyperslab part) {
      IndexRange[] place = new IndexRange[part.rank()];
      for (int d = 0; d < place.length; d++) {
        long first = rank(d, part.range(d).start());
        place[d] = IndexRange.of(first, first + part.range(d).count());
      }
      return Hyperslab.of(place);
    }

    /** The number of selected indices below one that is selected. */
    private long rank(int dimension, long index) {
      var ranges = selection.indices(dimension).ranges();
      int low = 0;
      int high = ranges.size() - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        if (ranges.get(middle).start() <= index) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      IndexRange range = ranges.get(low);
      return before[dimension][low] + (index - range.start()) / range.stride();
    }
  }
}
