package io.arraymorph.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalS3Test {
  @Test
  void listensOnLoopbackChecksSignaturesAndStops(@TempDir Path dir) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    URI object;
    try (LocalS3 s3 = LocalS3.start(dir, "lab")) {
      assertThat(s3.endpoint()).startsWith("http://127.0.0.1:");
      object = URI.create(s3.endpoint() + "/lab/a");
      HttpResponse<String> unsigned =
          client.send(
              HttpRequest.newBuilder(object)
                  .PUT(HttpRequest.BodyPublishers.ofString("value"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(unsigned.statusCode()).isEqualTo(403);
      assertThat(s3.file("a")).doesNotExist();
    }
    assertThat(isReachable(object)).isFalse();
  }

  @Test
  void sparkIsTheVersionTheBuildChose() {
    assertThat(SparkSessions.shared().version()).isEqualTo(SparkSessions.version());
    assertThat(SparkSessions.shared().range(10).count()).isEqualTo(10);
  }

  private static boolean isReachable(URI uri) {
    try (var socket = new java.net.Socket(uri.getHost(), uri.getPort())) {
      return socket.isConnected();
    } catch (java.io.IOException refused) {
      return false;
    }
  }
}
