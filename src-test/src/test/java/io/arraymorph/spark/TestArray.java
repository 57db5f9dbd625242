package io.arraymorph.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.apache.spark.sql.SparkSession;

/**
 * A small Zarr v3 array of float64 or int32 and how to store it: written here by hand, so that
 * tests of reading rest on none of our own encoders.
 *
 * @param name of the array
 * @param shape lengths
 * @param chunk lengths of a chunk
 * @param dimensions names, may be empty
 * @param type {@code float64}, {@code int32}, {@code int64} or {@code uint64}
 * @param values in C order; NaN means that nothing was written there
 * @param gzip whether chunks are compressed
 * @param attributes members of a JSON object, may be empty
 */
@SuppressWarnings("ArrayRecordComponent") // test data, never compared
public record TestArray(
    String name,
    int[] shape,
    int[] chunk,
    List<String> dimensions,
    String type,
    double[] values,
    boolean gzip,
    String attributes) {

  /** A 1-D array named as its dimension. */
  public static TestArray coordinate(String name, String type, double[] values, String attributes) {
    int[] length = {values.length};
    int[] chunk = {Math.max(1, (values.length + 1) / 2)};
    return new TestArray(name, length, chunk, List.of(name), type, values, false, attributes);
  }

  /** Writes a group of arrays; reading finds them by listing. */
  public static void writeGroup(Path directory, TestArray... arrays) {
    try {
      Files.createDirectories(directory);
      Files.writeString(
          directory.resolve("zarr.json"), "{\"zarr_format\":3,\"node_type\":\"group\"}");
      for (TestArray array : arrays) {
        array.write(directory.resolve(array.name()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes metadata and chunks. */
  public void write(Path directory) {
    try {
      Files.createDirectories(directory);
      Files.writeString(directory.resolve("zarr.json"), metadata());
      int[] grid = new int[shape.length];
      int chunks = 1;
      for (int d = 0; d < grid.length; d++) {
        grid[d] = (shape[d] + chunk[d] - 1) / chunk[d];
        chunks *= grid[d];
      }
      for (int c = 0; c < chunks; c++) {
        writeChunk(directory, index(c, grid));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void writeChunk(Path directory, int[] at) throws IOException {
    int cells = Arrays.stream(chunk).reduce(1, (a, b) -> a * b);
    ByteBuffer bytes = ByteBuffer.allocate(cells * width()).order(ByteOrder.LITTLE_ENDIAN);
    for (int cell = 0; cell < cells; cell++) {
      int[] within = index(cell, chunk);
      int flat = 0;
      boolean inside = true;
      for (int d = 0; d < shape.length; d++) {
        int i = at[d] * chunk[d] + within[d];
        inside &= i < shape[d];
        flat = flat * shape[d] + i;
      }
      double value = inside ? values[flat] : 0;
      switch (type) {
        case "int32":
          bytes.putInt((int) value);
          break;
        case "uint64":
          bytes.putLong(new BigDecimal(value).longValue());
          break;
        case "int64":
          bytes.putLong((long) value);
          break;
        default:
          bytes.putDouble(value);
      }
    }
    StringBuilder key = new StringBuilder("c");
    for (int i : at) {
      key.append('/').append(i);
    }
    Path object = directory.resolve(key.toString());
    Files.createDirectories(object.getParent());
    Files.write(object, gzip ? compressed(bytes.array()) : bytes.array());
  }

  private static byte[] compressed(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  private int width() {
    return type.equals("int32") ? 4 : 8;
  }

  /**
   * Copies the array to a store through Spark, as {@link #write} is for local folders only.
   *
   * @param scratch folder for the local copy
   * @param options of the writer
   */
  public void save(SparkSession spark, Path scratch, String uri, Map<String, String> options) {
    Path local = scratch.resolve(uri.substring(uri.lastIndexOf('/') + 1));
    write(local);
    spark
        .read()
        .format("arraymorph")
        .load(local.toString())
        .write()
        .format("arraymorph")
        .options(options)
        .mode("overwrite")
        .save(uri);
  }

  /** The index of element {@code flat} in C order. */
  static int[] index(int flat, int[] lengths) {
    int[] index = new int[lengths.length];
    int rest = flat;
    for (int d = lengths.length - 1; d >= 0; d--) {
      index[d] = rest % lengths[d];
      rest /= lengths[d];
    }
    return index;
  }

  private String metadata() {
    String codecs = "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}";
    if (gzip) {
      codecs += ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}";
    }
    String names =
        dimensions.isEmpty()
            ? ""
            : ",\"dimension_names\":"
                + dimensions.stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
    return "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":"
        + Arrays.toString(shape)
        + ",\"data_type\":\""
        + type
        + "\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":"
        + Arrays.toString(chunk)
        + "}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":"
        + (type.equals("float64") ? "\"NaN\"" : "0")
        + ",\"codecs\":["
        + codecs
        + "],\"attributes\":{"
        + attributes
        + "}"
        + names
        + "}";
  }
}
