package io.arraymorph.cli;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.measure.FunctionProbe;
import io.arraymorph.optimizer.measure.PaperProcedure;
import io.arraymorph.optimizer.measure.StoreProbe;
import io.arraymorph.optimizer.profile.ProfileJson;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code arraymorph profile}: measures a store from here. */
@Command(
    name = "profile",
    description =
        "Measures latency and bandwidth of a store, and a slice function if one is named, and"
            + " writes a profile of them.",
    mixinStandardHelpOptions = true)
final class ProfileCommand implements Callable<Integer> {
  private static final long LEAST_REQUESTS = 10;

  @Spec private CommandSpec spec;
  @Mixin private StoreArguments store;

  @Parameters(
      paramLabel = "URI",
      description = "An object, or an array or prefix below which the largest object is read.")
  private String uri;

  @Option(
      names = "--base",
      description = "Name or file of the profile that prices come from; else detected.")
  private String base;

  @Option(names = "--seconds", description = "Most seconds to take (60).")
  private long seconds = 60;

  @Option(names = "--megabytes", description = "Most megabytes to move (200).")
  private long megabytes = 200;

  @Option(
      names = "--requests",
      description =
          "Most requests to send (10000; for a slice function half as many more); more tell better"
              + " what a request takes.")
  private long requests = StoreProbe.USUAL_REQUESTS;

  @Option(names = "--paper", description = "Measure as the ArrayMorph paper does.")
  private boolean paper;

  @Mixin private FunctionArguments function;

  @Option(
      names = {"-o", "--output"},
      description = "File to write; else the profile is printed.")
  private Path output;

  @Override
  public Integer call() {
    if (seconds < 1
        || seconds > 86_400
        || megabytes < 1
        || megabytes > 1_000_000_000L
        || requests < LEAST_REQUESTS) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "a measurement of "
              + seconds
              + " seconds, "
              + megabytes
              + " megabytes and "
              + requests
              + " requests",
          "Allow at least 1 second, 1 megabyte and " + LEAST_REQUESTS + " requests, at most a day");
    }
    StoreProfile prices = base == null ? StoreProfiles.detect(uri) : StoreProfiles.of(base);
    String name = output == null ? "measured" : output.getFileName().toString();
    Optional<SliceFunction> called = function.function();
    long ofFunction = called.isEmpty() ? 0 : Math.min(requests / 2, FunctionProbe.REQUESTS);
    StoreProfile measured =
        paper
            ? new PaperProcedure(bounds(4, requests)).measure(store.open(uri), prices, name, called)
            : bounds(called.isPresent() ? 3 : 4, requests).measure(store.open(uri), prices, name);
    if (called.isPresent() && !paper) {
      measured =
          new FunctionProbe(bounds(1, ofFunction)).measure(store.open(uri), measured, called.get());
    }
    String text = ProfileJson.write(measured);
    if (output == null) {
      spec.commandLine().getOut().print(text);
      spec.commandLine().getOut().flush();
      return 0;
    }
    try {
      Files.writeString(output, text);
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "file " + output + " cannot be written",
          "Name a file in a folder that exists",
          e);
    }
    spec.commandLine().getOut().println(output + ": " + measured.provenance().text());
    return 0;
  }

  /**
   * So many quarters of the time and bytes.
   *
   * @param sent most requests
   */
  private StoreProbe bounds(int quarters, long sent) {
    return new StoreProbe(
        Duration.ofMillis(seconds * 250 * quarters), megabytes * 250_000 * quarters, sent);
  }
}
