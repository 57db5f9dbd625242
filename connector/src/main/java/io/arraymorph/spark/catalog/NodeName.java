package io.arraymorph.spark.catalog;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.spark.sql.connector.catalog.Identifier;

/**
 * What the parts of an SQL identifier say: segments of a path below the warehouse, or below a URI
 * that is one of the parts.
 *
 * <p>{@code am.climate.coads} has the segments climate and coads; {@code am.`s3a://b/x.zarr`.SST}
 * the URI and the segment SST. Parts before a URI (Spark puts the current namespace there) mean
 * nothing. Which rows are meant is not decided here.
 *
 * @param uri what segments are below; empty for the warehouse
 * @param segments names of nodes, outermost first
 */
record NodeName(Optional<String> uri, List<String> segments) {
  /** The last part of an identifier whose rows are cells. */
  static final String CELLS = "cells";

  /** What names of nodes may end in and identifiers leave away. */
  static final String SUFFIX = ".zarr";

  private static final Pattern URI = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]+:/|/).*");

  /** Copies the list. */
  NodeName {
    segments = List.copyOf(segments);
  }

  /**
   * The name that an identifier gives.
   *
   * @throws ArrayMorphException INVALID_IDENTIFIER if a part cannot name a node
   */
  static NodeName of(Identifier identifier) {
    List<String> parts = new ArrayList<>(Arrays.asList(identifier.namespace()));
    parts.add(identifier.name());
    return of(parts);
  }

  /** The name that the parts of a namespace give; no parts are the warehouse itself. */
  static NodeName of(List<String> parts) {
    int first = 0;
    Optional<String> uri = Optional.empty();
    for (int i = 0; i < parts.size(); i++) {
      if (URI.matcher(parts.get(i)).matches()) {
        uri = Optional.of(parts.get(i));
        first = i + 1;
      }
    }
    List<String> segments = parts.subList(first, parts.size());
    segments.forEach(segment -> check(segment, parts));
    return new NodeName(uri, segments);
  }

  /**
   * The parts of a name written as text: divided by dots, but for those in backquotes, of which two
   * are one.
   */
  static List<String> parts(String text) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '`' && quoted && i + 1 < text.length() && text.charAt(i + 1) == '`') {
        part.append(c);
        i++;
      } else if (c == '`') {
        quoted = !quoted;
      } else if (c == '.' && !quoted) {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    parts.add(part.toString());
    return parts;
  }

  private static void check(String segment, List<String> parts) {
    boolean allowed =
        !segment.isBlank()
            && segment.chars().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c))
            && !segment.chars().allMatch(c -> c == '.')
            && !segment.contains("%")
            && !segment.startsWith("__")
            && !segment.startsWith("_arraymorph")
            && !segment.endsWith("zarr.json");
    if (!allowed) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_IDENTIFIER,
          "'" + segment + "' in " + shown(parts) + " is no name of an array, group or namespace",
          "Name nodes below the warehouse by one part each, as am.climate.coads, or give a whole"
              + " URI in backquotes, as am.`s3a://bucket/coads.zarr`");
    }
  }

  private static String shown(List<String> parts) {
    return String.join(".", parts).replaceAll("\\p{Cntrl}", "?");
  }

  /** True if the last part may say that rows are cells, rather than name a node. */
  boolean endsInCells() {
    return !segments.isEmpty()
        && segments.get(segments.size() - 1).equals(CELLS)
        && (uri.isPresent() || segments.size() > 1);
  }

  /** Without the last segment. */
  NodeName parent() {
    return new NodeName(uri, segments.subList(0, segments.size() - 1));
  }

  /**
   * Where the node may lie, the most literal first: below the base with these names, then with
   * {@code .zarr} after one of them, the last one before the others.
   */
  List<StorePath> paths(StorePath base) {
    List<StorePath> paths = new ArrayList<>();
    paths.add(resolve(base, segments));
    for (int i = segments.size() - 1; i >= 0; i--) {
      if (!segments.get(i).endsWith(SUFFIX)) {
        List<String> suffixed = new ArrayList<>(segments);
        suffixed.set(i, segments.get(i) + SUFFIX);
        paths.add(resolve(base, suffixed));
      }
    }
    return paths;
  }

  private static StorePath resolve(StorePath base, List<String> segments) {
    return segments.isEmpty() ? base : base.resolve(String.join("/", segments));
  }

  /** As {@code climate.coads}. */
  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    uri.ifPresent(parts::add);
    parts.addAll(segments);
    return String.join(".", parts);
  }
}
