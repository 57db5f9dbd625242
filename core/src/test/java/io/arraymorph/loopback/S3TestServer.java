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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The S3 server of module {@code s3server}, as a process of its own on a free port of the loopback
 * interface; it ends with {@link #close} or with this JVM.
 */
public final class S3TestServer implements AutoCloseable {
  /** The only access key that the server knows. */
  public static final String ACCESS_KEY = "test";

  /** Its secret. */
  public static final String SECRET_KEY = "testsecret";

  private final Process process;
  private final URI endpoint;

  private S3TestServer(Process process, URI endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /**
   * Starts a server over a directory, with buckets.
   *
   * @throws IllegalStateException if it does not start, or module {@code s3server} is not built
   */
  public static S3TestServer start(Path directory, String... buckets) throws IOException {
    Path module = module();
    String lib = module.resolve("lib").toString() + File.separator + "*";
    String classes = module.resolve("classes").toString();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", classes + File.pathSeparator + lib));
    command.add("io.arraymorph.s3server.S3Server");
    command.addAll(List.of("--data", directory.toAbsolutePath().toString()));
    for (String bucket : buckets) {
      command.addAll(List.of("--bucket", bucket));
    }
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    if (line == null) {
      process.destroyForcibly();
      throw new IllegalStateException("the S3 server did not start: " + command);
    }
    return new S3TestServer(process, URI.create(line));
  }

  /**
   * The build directory of module {@code s3server}, looked for upwards of the working directory.
   */
  private static Path module() {
    Path start = Path.of("").toAbsolutePath();
    for (Path root = start; root != null; root = root.getParent()) {
      Path module = root.resolve("src-test/s3server/target");
      if (Files.isDirectory(module.resolve("lib"))) {
        return module;
      }
    }
    throw new IllegalStateException("src-test/s3server is not built above " + start);
  }

  /** As {@code http://127.0.0.1:PORT}. */
  public URI endpoint() {
    return endpoint;
  }

  /** The {@code fs.s3a.*} settings that reach this server. */
  public Map<String, String> settings() {
    return settings(endpoint);
  }

  /** The settings that reach this server through a proxy before it. */
  public static Map<String, String> settings(URI endpoint) {
    return Map.of(
        "fs.s3a.endpoint",
        endpoint.toString(),
        "fs.s3a.endpoint.region",
        "us-east-1",
        "fs.s3a.path.style.access",
        "true",
        "fs.s3a.access.key",
        ACCESS_KEY,
        "fs.s3a.secret.key",
        SECRET_KEY,
        "fs.s3a.aws.credentials.provider",
        "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
  }

  /** The same for one bucket only, so that other servers are reached beside it. */
  public static Map<String, String> settings(URI endpoint, String bucket) {
    Map<String, String> settings = new HashMap<>();
    settings(endpoint)
        .forEach(
            (key, value) ->
                settings.put(key.replace("fs.s3a.", "fs.s3a.bucket." + bucket + "."), value));
    return settings;
  }

  /** Stops the server: at once, not gently. */
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
