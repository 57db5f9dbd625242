package io.arraymorph.loopback;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The slice function of module {@code lambda}, as a process of its own on a free port of the
 * loopback interface; it ends with {@link #close} or with this JVM. Reads S3 with the credentials
 * of {@link S3TestServer}.
 */
public final class SliceFunctionProcess implements AutoCloseable {
  private final Process process;
  private final URI endpoint;

  private SliceFunctionProcess(Process process, URI endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /**
   * Starts a function.
   *
   * @param settings of stores, credentials left out
   * @param allowed what it may read
   * @throws IllegalStateException if it does not start, or module {@code lambda} is not built
   */
  public static SliceFunctionProcess start(
      String token, Map<String, String> settings, String... allowed) throws IOException {
    return limited(List.of(), token, settings, allowed);
  }

  /**
   * Starts a function with other limits.
   *
   * @param limits options of its command line
   */
  public static SliceFunctionProcess limited(
      List<String> limits, String token, Map<String, String> settings, String... allowed)
      throws IOException {
    Path root = root();
    List<String> classes = new ArrayList<>();
    for (String module : List.of("lambda", "core", "cloud")) {
      classes.add(root.resolve(module).resolve("target/classes").toString());
    }
    classes.add(root.resolve("cli/target/lib") + File.separator + "*");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classes)));
    command.add("io.arraymorph.lambda.SliceFunctionMain");
    command.addAll(limits);
    for (String uri : allowed) {
      command.addAll(List.of("--allow", uri));
    }
    settings.forEach(
        (key, value) -> {
          if (!key.endsWith(".key") && !key.endsWith(".provider")) {
            command.addAll(List.of("--set", key + "=" + value));
          }
        });
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("ARRAYMORPH_SLICE_TOKEN", token);
    builder.environment().put("AWS_ACCESS_KEY_ID", S3TestServer.ACCESS_KEY);
    builder.environment().put("AWS_SECRET_ACCESS_KEY", S3TestServer.SECRET_KEY);
    Process process = builder.start();
    String line =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    if (line == null) {
      process.destroyForcibly();
      throw new IllegalStateException("the slice function did not start: " + command);
    }
    return new SliceFunctionProcess(process, URI.create(line.substring(line.lastIndexOf(' ') + 1)));
  }

  private static Path root() {
    Path start = Path.of("").toAbsolutePath();
    for (Path root = start; root != null; root = root.getParent()) {
      if (Files.isDirectory(root.resolve("lambda/target/classes"))
          && Files.isDirectory(root.resolve("cli/target/lib"))) {
        return root;
      }
    }
    throw new IllegalStateException("lambda and cli are not built above " + start);
  }

  /** Where it answers. */
  public URI endpoint() {
    return endpoint;
  }

  /** Ends the process: at once, not gently. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
