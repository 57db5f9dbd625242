package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One case of {@code src-test/fixtures/index.json}. */
public record Fixture(JsonNode entry) {
  /** The folder of all fixtures. */
  public static final Path ROOT =
      Path.of("..", "src-test", "fixtures").toAbsolutePath().normalize();

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** All Zarr cases, in the order of the index. */
  public static List<Fixture> all() {
    List<Fixture> cases = new ArrayList<>();
    for (JsonNode entry : json("index.json").get("cases")) {
      if (entry.has("zarr_format")) {
        cases.add(new Fixture(entry));
      }
    }
    return cases;
  }

  /** A JSON file of the fixtures. */
  public static JsonNode json(String file) {
    try {
      return MAPPER.readTree(Files.readString(ROOT.resolve(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Identifies the case. */
  public String name() {
    return entry.get("name").asText();
  }

  /** {@code value}, {@code error} or {@code value_or_error}. */
  public String expected() {
    return entry.get("expected").asText();
  }

  /** True for arrays, false for groups. */
  public boolean isArray() {
    return entry.get("node").asText().equals("array");
  }

  /** The store or array folder, relative to the root. */
  public String path() {
    return entry.get("path").asText();
  }

  /** Where the array or group lies in a store of all fixtures. */
  public StorePath location(ObjectStore store) {
    StorePath path = new StorePath(store, path());
    return entry.hasNonNull("array") ? path.resolve(entry.get("array").asText()) : path;
  }

  /** The part of the array whose values are given. */
  public Hyperslab selection(Shape shape) {
    if (!entry.has("selection")) {
      return Hyperslab.all(shape);
    }
    List<IndexRange> ranges = new ArrayList<>();
    entry
        .get("selection")
        .forEach(r -> ranges.add(IndexRange.of(r.get(0).asLong(), r.get(1).asLong())));
    return Hyperslab.of(ranges);
  }

  /** The case's name. */
  @Override
  public String toString() {
    return name();
  }
}
