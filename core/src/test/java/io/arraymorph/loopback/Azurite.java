package io.arraymorph.loopback;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The emulator Azurite with one account, on a free port of the loopback interface; it ends with
 * {@link #close}.
 */
public final class Azurite implements AutoCloseable {
  /** The account, which is the first part of each path. */
  public static final String ACCOUNT = "test";

  /** The host that URIs name; requests go to {@link #endpoint()} instead. */
  public static final String HOST = ACCOUNT + ".dfs.core.windows.net";

  /** The account's key. */
  public static final String KEY =
      Base64.getEncoder().encodeToString("not a secret".getBytes(StandardCharsets.US_ASCII));

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT);

  private final LoopbackProcess process;
  private final URI endpoint;

  private Azurite(LoopbackProcess process, URI endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /**
   * Starts it over a directory; empty where it is not installed.
   *
   * @param options more arguments; with {@code --cert} it speaks HTTPS
   */
  public static Optional<Azurite> start(Path directory, String... options)
      throws IOException, InterruptedException {
    Optional<Path> program = Executables.find("azurite-blob");
    if (program.isEmpty()) {
      return Optional.empty();
    }
    int port = LoopbackProcess.freePort();
    List<String> command =
        new ArrayList<>(
            List.of(
                program.get().toString(),
                "--blobHost",
                "127.0.0.1",
                "--blobPort",
                String.valueOf(port),
                "--location",
                directory.toString(),
                "--silent",
                "--skipApiVersionCheck",
                "--disableTelemetry"));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("AZURITE_ACCOUNTS", ACCOUNT + ":" + KEY);
    String scheme = command.contains("--cert") ? "https" : "http";
    return Optional.of(
        new Azurite(
            LoopbackProcess.start(builder, port),
            URI.create(scheme + "://127.0.0.1:" + port + "/" + ACCOUNT)));
  }

  /** As {@code http://127.0.0.1:PORT/test}. */
  public URI endpoint() {
    return endpoint;
  }

  /** Makes a container. */
  public void create(String container) throws IOException, InterruptedException {
    String date = DATE.format(ZonedDateTime.now(ZoneOffset.UTC));
    String headers = "x-ms-date:" + date + "\nx-ms-version:2021-12-02\n";
    String resource = "/" + ACCOUNT + "/" + ACCOUNT + "/" + container + "\nrestype:container";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(endpoint + "/" + container + "?restype=container"))
            .header("x-ms-date", date)
            .header("x-ms-version", "2021-12-02")
            .header("Authorization", authorization("PUT\n" + "\n".repeat(11) + headers + resource))
            .PUT(BodyPublishers.noBody())
            .build();
    HttpResponse<String> answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    if (answer.statusCode() != 201) {
      close();
      throw new IllegalStateException("no container " + container + ": " + answer.body());
    }
  }

  /**
   * A shared access signature of a container (service SAS, version 2020-12-06).
   *
   * @param permissions as {@code rl}
   */
  public static String containerSignature(String container, String permissions, Duration lifetime) {
    String expires = Instant.now().plus(lifetime).truncatedTo(ChronoUnit.SECONDS).toString();
    String resource = "/blob/" + ACCOUNT + "/" + container;
    String toSign =
        String.join(
            "\n",
            permissions,
            "",
            expires,
            resource,
            "",
            "",
            "",
            "2020-12-06",
            "c",
            "",
            "",
            "",
            "",
            "",
            "",
            "");
    return "sv=2020-12-06&sr=c&sp="
        + permissions
        + "&se="
        + URLEncoder.encode(expires, StandardCharsets.UTF_8)
        + "&sig="
        + URLEncoder.encode(signature(toSign), StandardCharsets.UTF_8);
  }

  private static String authorization(String toSign) {
    return "SharedKey " + ACCOUNT + ":" + signature(toSign);
  }

  private static String signature(String toSign) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(Base64.getDecoder().decode(KEY), "HmacSHA256"));
      byte[] signature = mac.doFinal(toSign.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(signature);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The settings that reach this server with the account's key. */
  public Map<String, String> settings() {
    return settings(endpoint);
  }

  /** The settings that reach this server through a proxy before it. */
  public static Map<String, String> settings(URI endpoint) {
    return Map.of(
        "arraymorph.azure.endpoint", endpoint.toString(), "fs.azure.account.key." + HOST, KEY);
  }

  @Override
  public void close() {
    process.close();
  }
}
