package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.LayoutChoice;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.exchange.TensorPacking;
import io.arraymorph.delta.exchange.TensorUnpacking;
import io.arraymorph.delta.table.DeltaTensor;
import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.delta.table.WriteMode;
import io.arraymorph.delta.tensor.FrosttText;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StorePath;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tensors of a Delta table for a program beside the driver's JVM: slices without a Spark job.
 *
 * <p>What {@code arraymorph.open_tensors} in Python talks to. Small results are handed over as
 * bytes, others in files that the receiver deletes; their content is {@link TensorPacking}'s.
 * Thread-safe.
 */
public final class LocalTensors {
  private static final long MOST_INLINE = 48 << 10;

  /** The column of values in reads of a tensor that is not written from a data frame. */
  private static final String VALUE_COLUMN = "value";

  private final DeltaTensors tensors;
  private final Map<String, DeltaTensor> opened = new TreeMap<>();

  private LocalTensors(DeltaTensors tensors) {
    this.tensors = tensors;
  }

  /**
   * The tensors at a path; the table need not exist until something is written.
   *
   * @param options {@code versionAsOf} or {@code timestampAsOf}, and settings of the store
   */
  public static LocalTensors open(String uri, Map<String, String> options) {
    Map<String, String> all = new TreeMap<>(options);
    all.put("path", uri);
    TensorOptions parsed = new TensorOptions(all, SessionSettings.ofSession());
    StorePath path = ObjectStores.open(uri, SessionSettings.storeConfig(uri, options));
    DeltaTensors tensors = DeltaTensors.at(path, parsed.form());
    return new LocalTensors(parsed.version(tensors));
  }

  /** The newest version of the table; what was learnt about its files is kept. */
  public LocalTensors latest() {
    return new LocalTensors(tensors.latest());
  }

  /** The same table at a version. */
  public LocalTensors at(long version) {
    return new LocalTensors(tensors.atVersion(version));
  }

  /** The version that is seen. */
  public long version() {
    return tensors.version();
  }

  /** The headers of all tensors, as lines of JSON. */
  public String headers() {
    StringBuilder lines = new StringBuilder();
    for (TensorHeader header : tensors.tensors()) {
      lines.append(new String(HeaderJson.write(header), StandardCharsets.UTF_8)).append('\n');
    }
    return lines.toString();
  }

  /** The header of one tensor as JSON. */
  public String header(String tensorId) {
    return new String(HeaderJson.write(tensor(tensorId).header()), StandardCharsets.UTF_8);
  }

  private synchronized DeltaTensor tensor(String tensorId) {
    return opened.computeIfAbsent(tensorId, tensors::tensor);
  }

  /**
   * The stored cells of a slice in numpy's notation.
   *
   * @param spares files that the result may be written into: lines with a path below {@code /proc},
   *     the inode and the length in bytes. The caller holds them and nobody looks at them
   * @return {@code byte[]}, or the path of a file as a string: one of those, or a new one
   */
  public Object cells(String tensorId, String slice, String spares) {
    return handOver(TensorPacking.of(tensor(tensorId).slice(slice)), SpareFiles.of(spares));
  }

  /** All cells of a slice, as {@link #cells}. */
  public Object dense(String tensorId, String text, String spares) {
    DeltaTensor tensor = tensor(tensorId);
    TensorSlice slice = TensorSlice.parse(text, tensor.schema().shape());
    ArraySchema schema = slice.resultSchema(tensor.schema());
    Optional<DenseHandOver> direct = DenseHandOver.of(tensor, slice, schema);
    return direct.isPresent()
        ? direct.get().write(SpareFiles.of(spares)).toString()
        : handOver(TensorPacking.ofDense(schema, tensor.dense(text)), SpareFiles.of(spares));
  }

  private static Object handOver(TensorPacking packing, SpareFiles spares) {
    try {
      if (packing.size() <= MOST_INLINE) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) packing.size());
        packing.write(Channels.newChannel(bytes));
        return bytes.toByteArray();
      }
      return ExchangeFile.write(packing, spares).toString();
    } catch (IOException e) {
      throw tooLarge(packing.size(), e);
    }
  }

  static ArrayMorphException tooLarge(long size, IOException e) {
    return new ArrayMorphException(
        ErrorCode.STORE_FULL,
        size + " bytes cannot be handed over: " + e.getMessage(),
        "Free some space in the temporary directory, or take a smaller slice",
        e);
  }

  /**
   * Writes a tensor handed over in a file.
   *
   * @param options {@code storage}, {@code block}, {@code slice-hint}, {@code duplicates}, {@code
   *     mode} ({@code create}, {@code replace} or {@code append} with {@code append-dim})
   * @return the version of the table that has it
   */
  public long write(String tensorId, String file, Map<String, String> options) {
    Map<String, String> all = new TreeMap<>(options);
    all.put("path", tensors.path().toString());
    TensorOptions parsed = new TensorOptions(all, SessionSettings.ofSession());
    try (FileChannel in = FileChannel.open(Path.of(file))) {
      TensorUnpacking handed = new TensorUnpacking(in);
      if (handed.isDense()) {
        return writeDense(tensorId, handed, parsed);
      }
      long version = writeCells(tensorId, handed.cells(parsed.duplicates()), parsed);
      handed.release();
      return version;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isAppend(TensorOptions options) {
    return mode(options).equals("append");
  }

  private static String mode(TensorOptions options) {
    return options.oneOf("mode", "create", "replace", "append");
  }

  private static WriteMode writeMode(TensorOptions options) {
    return mode(options).equals("replace") ? WriteMode.REPLACE : WriteMode.CREATE;
  }

  private static int appendDimension(TensorOptions options, ArraySchema schema) {
    String name = options.get("append-dim").orElse(schema.dimensionNames().get(0));
    int dimension = schema.dimensionNames().indexOf(name);
    if (dimension < 0) {
      throw new ArrayMorphException(
          ErrorCode.UNKNOWN_DIMENSION,
          "append-dim '" + name + "' is none of " + schema.dimensionNames(),
          "Name the dimension that grows");
    }
    return dimension;
  }

  /**
   * Writes a tensor of float64 from a text file in the FROSTT format, on this machine.
   *
   * @param names of the dimensions, separated by commas; empty for {@code dim_0}, ..
   * @param options as those of {@link #write}, and {@code shape} if it is known
   * @return the version of the table that has it
   */
  public long importText(String tensorId, String file, String names, Map<String, String> options) {
    Map<String, String> all = new TreeMap<>(options);
    all.put("path", tensors.path().toString());
    TensorOptions parsed = new TensorOptions(all, SessionSettings.ofSession());
    try (BufferedReader text = Files.newBufferedReader(Path.of(file))) {
      SparseTensor read = FrosttText.read(text, parsed.lengths("shape"), parsed.duplicates());
      ArraySchema schema = read.schema();
      List<String> named =
          names.isEmpty() ? schema.dimensionNames() : List.of(names.split(",", -1));
      TensorOptions.checkShape(schema.shape(), named);
      return writeCells(
          tensorId,
          read.withSchema(new ArraySchema(schema.dataType(), schema.shape(), named, schema.fill())),
          parsed);
    } catch (IOException e) {
      throw textFailure(file, "read", e);
    }
  }

  /**
   * Writes the stored cells of a slice into a text file in the FROSTT format, on this machine.
   *
   * @param extended true for two more lines with the shape and the number of cells
   * @return how many cells
   */
  public long exportText(String tensorId, String slice, String file, boolean extended) {
    SparseTensor cells = tensor(tensorId).slice(slice);
    try (Writer text = Files.newBufferedWriter(Path.of(file))) {
      FrosttText.write(cells, extended, text);
    } catch (IOException e) {
      throw textFailure(file, "written", e);
    }
    return cells.count();
  }

  private static ArrayMorphException textFailure(String file, String what, IOException e) {
    boolean isText = !(e instanceof CharacterCodingException);
    ErrorCode code =
        e instanceof NoSuchFileException ? ErrorCode.OBJECT_NOT_FOUND : ErrorCode.STORE_UNAVAILABLE;
    return new ArrayMorphException(
        isText ? code : ErrorCode.METADATA_INVALID,
        "text file " + file + " cannot be " + what + ": " + (isText ? e : "it is no text in UTF-8"),
        isText ? "Give a file that the driver's machine has" : "Unpack it, or give another file",
        e);
  }

  private long writeCells(String tensorId, SparseTensor tensor, TensorOptions options) {
    if (isAppend(options)) {
      return tensors.append(tensorId, appendDimension(options, tensor.schema()), tensor);
    }
    TensorOptions.checkNames(tensor.schema().dimensionNames(), VALUE_COLUMN);
    LayoutChoice choice =
        new LayoutChoice(
            tensor,
            options.sliced(tensor.schema().dimensionNames()),
            options.block(tensor.schema().dimensionNames()));
    TensorLayout layout =
        options.storage().equals("auto")
            ? choice.auto()
            : choice.of(TensorEncoding.of(options.storage()));
    return tensors.write(tensorId, tensor, layout, writeMode(options), Map.of());
  }

  private long writeDense(String tensorId, TensorUnpacking handed, TensorOptions options)
      throws IOException {
    Elements values = handed.dense();
    if (isAppend(options)) {
      return tensors.appendDense(
          tensorId, appendDimension(options, handed.schema()), handed.schema(), values);
    }
    TensorOptions.checkNames(handed.schema().dimensionNames(), VALUE_COLUMN);
    if (!Set.of("auto", "ftsf").contains(options.storage())) {
      throw TensorOptions.invalid(
          "storage", options.storage(), "A dense array is stored as ftsf; give cells otherwise");
    }
    Optional<Shape> block = options.block(handed.schema().dimensionNames());
    TensorLayout layout =
        LayoutChoice.ofDense(
            handed.schema(), options.sliced(handed.schema().dimensionNames()), block);
    return tensors.writeDense(
        tensorId, handed.schema(), values, layout, writeMode(options), Map.of());
  }

  /** Deletes a tensor; returns the version that lacks it. */
  public long delete(String tensorId) {
    return tensors.delete(tensorId);
  }
}
