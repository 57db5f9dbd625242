package io.arraymorph.spark.procedure;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.measure.PaperProcedure;
import io.arraymorph.optimizer.measure.StoreProbe;
import io.arraymorph.optimizer.profile.ProfileJson;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Measures a store from the driver; one row with the profile, which option {@code profile} takes.
 */
final class ProfileStoreProcedure implements SystemProcedure {
  private static final long LEAST_REQUESTS = 10;

  @Override
  public String name() {
    return "profile_store";
  }

  @Override
  public String description() {
    return "profile_store(uri, ..): measures latency and bandwidth of a store from the driver";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        SystemProcedures.required("uri", "an object, or a prefix below which the largest is read"),
        SystemProcedures.optional("base", "profile that prices come from; else detected"),
        new Parameter("seconds", DataTypes.LongType, Optional.of("60"), "most seconds to take"),
        new Parameter(
            "megabytes", DataTypes.LongType, Optional.of("200"), "most megabytes to move"),
        new Parameter(
            "requests",
            DataTypes.LongType,
            Optional.of(Long.toString(StoreProbe.USUAL_REQUESTS)),
            "most requests to send"),
        new Parameter(
            "paper",
            DataTypes.BooleanType,
            Optional.of("false"),
            "measure as the ArrayMorph paper does"),
        SystemProcedures.optional("output", "file on the driver to write the profile to"));
  }

  @Override
  public StructType schema() {
    return new StructType()
        .add("name", DataTypes.StringType)
        .add("latency_seconds", DataTypes.DoubleType)
        .add("connection_bytes_per_second", DataTypes.DoubleType)
        .add("profile", DataTypes.StringType);
  }

  @Override
  public List<Row> call(Arguments arguments) {
    long seconds = arguments.number("seconds", 1);
    long megabytes = arguments.number("megabytes", 1);
    long requests = arguments.number("requests", LEAST_REQUESTS);
    if (seconds > 86_400 || megabytes > 1_000_000) {
      throw Arguments.invalid(
          "seconds, megabytes", seconds + ", " + megabytes, "Allow a day and a terabyte at most");
    }
    StorePath path = arguments.place("uri");
    StoreProfile base =
        arguments
            .text("base")
            .map(StoreProfiles::of)
            .orElseGet(() -> StoreProfiles.detect(path.toString()));
    Optional<Path> output = arguments.text("output").map(ProfileStoreProcedure::file);
    String name = output.map(file -> file.getFileName().toString()).orElse("measured");
    StoreProbe probe = new StoreProbe(Duration.ofSeconds(seconds), megabytes * 1_000_000, requests);
    StoreProfile measured =
        arguments.flag("paper")
            ? new PaperProcedure(probe).measure(path, base, name, Optional.empty())
            : probe.measure(path, base, name);
    String text = ProfileJson.write(measured);
    output.ifPresent(file -> save(file, text));
    return List.of(
        RowFactory.create(
            name,
            measured.transport().latencySeconds(),
            measured.transport().connectionBytesPerSecond(),
            text));
  }

  private static Path file(String name) {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw Arguments.invalid("output", name, "Name a file in a folder that exists on the driver");
    }
  }

  private static void save(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "file " + file + " cannot be written",
          "Name a file in a folder that exists on the driver",
          e);
    }
  }
}
