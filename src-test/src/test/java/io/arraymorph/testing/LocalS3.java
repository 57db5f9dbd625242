package io.arraymorph.testing;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.arraymorph.loopback.S3TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An S3 server with one bucket, as a process of its own on a free port of the loopback interface.
 *
 * <p>Objects are files: key {@code a/b} of the bucket is {@code data/bucket/a/b}. A file that
 * others may read (as one written by hand mostly is) needs no signature, as a public object. The
 * server ends with {@link #close()}, and by itself when this JVM ends.
 */
public final class LocalS3 implements AutoCloseable {
  /** Access key that the server accepts. */
  public static final String ACCESS_KEY = S3TestServer.ACCESS_KEY;

  /** Secret that goes with {@link #ACCESS_KEY}. */
  public static final String SECRET_KEY = S3TestServer.SECRET_KEY;

  private final Process process;
  private final Path data;
  private final String bucket;
  private final String endpoint;

  private LocalS3(Process process, Path data, String bucket, String endpoint) {
    this.process = process;
    this.data = data;
    this.bucket = bucket;
    this.endpoint = endpoint;
  }

  /**
   * Starts a server.
   *
   * @param data an existing directory, for the objects and the server's log
   * @param bucket made if it is not there
   * @param options more arguments of {@code S3Server}, such as {@code --latency 30}
   */
  public static LocalS3 start(Path data, String bucket, String... options) throws IOException {
    Path target =
        Path.of(System.getProperty("arraymorph.root"))
            .resolve("src-test/s3server/target")
            .toRealPath();
    if (!Files.isDirectory(target.resolve("lib"))) {
      throw new IOException("package src-test/s3server first: there is no " + target + "/lib");
    }
    Path log = data.resolve("s3server.log");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                target + "/*:" + target + "/lib/*",
                "io.arraymorph.s3server.S3Server",
                "--data",
                data.toString(),
                "--bucket",
                bucket));
    command.addAll(List.of(options));
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String endpoint = out.readLine();
    if (endpoint == null) {
      throw new IOException("the S3 server did not start: " + Files.readString(log));
    }
    return new LocalS3(process, data, bucket, endpoint);
  }

  /** URL of the server, {@code http://127.0.0.1:PORT}. */
  public String endpoint() {
    return endpoint;
  }

  /** Where an object of the bucket is on disk. */
  public Path file(String key) {
    return data.resolve(bucket).resolve(key);
  }

  /** URI of an object or prefix of the bucket, as Spark users write it. */
  public String uri(String key) {
    return "s3a://" + bucket + "/" + key;
  }

  /** The Hadoop settings with which a session reaches this server. */
  public Map<String, String> hadoopSettings() {
    return S3TestServer.settings(URI.create(endpoint));
  }

  /** Stops the server. */
  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(10, SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
