package io.arraymorph.loopback;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The emulator fake-gcs-server, in memory on a free port of the loopback interface; it ends with
 * {@link #close}. It asks for no credentials.
 */
public final class FakeGcs implements AutoCloseable {
  private final LoopbackProcess process;
  private final URI endpoint;

  private FakeGcs(LoopbackProcess process, URI endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /** Starts it with some buckets; empty where it is not installed. */
  public static Optional<FakeGcs> start(String... buckets)
      throws IOException, InterruptedException {
    Optional<Path> program = Executables.find("fake-gcs-server");
    if (program.isEmpty()) {
      return Optional.empty();
    }
    int port = LoopbackProcess.freePort();
    String address = "127.0.0.1:" + port;
    ProcessBuilder builder =
        new ProcessBuilder(
            program.get().toString(),
            "-scheme",
            "http",
            "-backend",
            "memory",
            "-host",
            "127.0.0.1",
            "-port",
            String.valueOf(port),
            "-public-host",
            address,
            "-external-url",
            "http://" + address);
    FakeGcs server =
        new FakeGcs(LoopbackProcess.start(builder, port), URI.create("http://" + address));
    for (String bucket : buckets) {
      server.create(bucket);
    }
    return Optional.of(server);
  }

  /** As {@code http://127.0.0.1:PORT}. */
  public URI endpoint() {
    return endpoint;
  }

  /** Makes a bucket. */
  public void create(String bucket) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(endpoint.resolve("/storage/v1/b?project=test"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"name\": \"" + bucket + "\"}"))
            .build();
    HttpResponse<String> answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      close();
      throw new IllegalStateException("no bucket " + bucket + ": " + answer.body());
    }
  }

  /** The {@code fs.gs.*} settings that reach this server. */
  public Map<String, String> settings() {
    return settings(endpoint);
  }

  /** The settings that reach this server through a proxy before it. */
  public static Map<String, String> settings(URI endpoint) {
    return Map.of(
        "fs.gs.storage.root.url", endpoint.toString(), "fs.gs.auth.type", "UNAUTHENTICATED");
  }

  @Override
  public void close() {
    process.close();
  }
}
