package io.arraymorph.cloud.gcs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.cloud.BucketStore;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.SignedUrl;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * A bucket of Google Cloud Storage.
 *
 * <p>What this connector calls an ETag is the object's generation, which the service takes as a
 * precondition of every request. Each request is one attempt on a thread of the store; {@code
 * RetryingObjectStore} makes the others. Objects are put in one request with their checksum; copies
 * are the service's own, a conditional copy reads and writes. Thread-safe.
 */
public final class GcsObjectStore extends BucketStore {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_REWRITES = 1000;

  private final GcsClient client;
  private final GcsSigner signer;
  private final String objects;
  private final String bucket;

  GcsObjectStore(String uri, GcsSettings settings) {
    super(uri, "arraymorph-gcs", settings.connections(), "arraymorph-write");
    this.client = new GcsClient(settings);
    this.signer = new GcsSigner(settings);
    this.bucket = "/b/" + GcsNames.encode(settings.bucket());
    this.objects = "/storage/v1" + bucket + "/o";
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    return submit(
        key,
        () -> {
          String wanted =
              condition instanceof ReadCondition.IfMatch
                  ? generation(key, ((ReadCondition.IfMatch) condition).etag())
                  : "";
          String match = wanted.isEmpty() ? "" : "&ifGenerationMatch=" + wanted;
          return new GcsRead(object(key), range, wanted)
              .read(client, client.request(path(key) + "?alt=media" + match).GET());
        });
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return submit(
        key,
        () -> {
          JsonNode object =
              json(key, client.request(path(key) + "?fields=name,size,generation,updated").GET());
          return stat(object);
        });
  }

  @Override
  protected RuntimeException failure(String object, RuntimeException thrown) {
    return thrown; // the client says it already
  }

  @Override
  protected ListPage page(String prefix, String delimiter, String continuation) {
    String query =
        "?fields=nextPageToken,prefixes,items(name,size,generation,updated)&prefix="
            + GcsNames.encode(prefix)
            + (delimiter.isEmpty() ? "" : "&delimiter=" + GcsNames.encode(delimiter))
            + (continuation.isEmpty() ? "" : "&pageToken=" + GcsNames.encode(continuation));
    return GcsListing.page(json(prefix, client.request(objects + query).GET()), this);
  }

  @Override
  protected CompletableFuture<String> put(
      String key, ByteBuffer bytes, WriteCondition condition, Map<String, String> metadata) {
    ByteBuffer content = bytes.duplicate();
    return submit(
        key,
        () -> {
          HttpRequest.Builder request =
              client.request(
                  "/upload/storage/v1"
                      + bucket
                      + "/o?uploadType=multipart&fields=generation"
                      + when(key, condition));
          new GcsUpload(key, content, metadata).applyTo(request);
          return version(
              key, written(key, condition, () -> json(key, request, content.remaining())));
        });
  }

  @Override
  protected Stored stored(String key) {
    JsonNode object = json(key, client.request(path(key) + "?fields=generation,metadata").GET());
    Map<String, String> metadata = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : object.path("metadata").properties()) {
      metadata.put(entry.getKey(), entry.getValue().asText());
    }
    return new Stored(version(key, object), metadata);
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    if (!(condition instanceof WriteCondition.None)) {
      return copyByReading(sourceKey, targetKey, condition);
    }
    return submit(
        sourceKey,
        () -> {
          checkKey(targetKey);
          String target =
              path(sourceKey) + "/rewriteTo" + bucket + "/o/" + GcsNames.encode(targetKey);
          String token = "";
          for (int i = 0; i < MOST_REWRITES; i++) {
            JsonNode answer =
                json(
                    sourceKey,
                    client
                        .request(target + token)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.noBody()));
            if (answer.path("done").asBoolean()) {
              return version(targetKey, answer.path("resource"));
            }
            token = "?rewriteToken=" + GcsNames.encode(answer.path("rewriteToken").asText());
          }
          throw protocol(targetKey, "a copy that does not end");
        });
  }

  @Override
  protected void remove(String key, WriteCondition condition) {
    String when = when(key, condition);
    try {
      client.send(
          client.request(path(key) + (when.isEmpty() ? "" : "?" + when.substring(1))).DELETE(),
          object(key),
          0,
          GcsClient.JSON_BYTES);
    } catch (StoreException e) {
      if (e.kind() != Kind.NOT_FOUND) {
        throw e;
      }
      if (condition instanceof WriteCondition.IfMatch) {
        throw new StoreException(Kind.PRECONDITION_FAILED, object(key), "does not exist", e);
      }
    }
  }

  @Override
  protected Optional<SignedUrl> sign(String key, Duration lifetime) throws Exception {
    return signer.sign(key, lifetime, Instant.now(), object(key));
  }

  @Override
  public void close() {
    super.close();
    client.close();
  }

  /** That If-Match finds no object at all is a condition that does not hold. */
  private JsonNode written(String key, WriteCondition condition, Callable<JsonNode> call)
      throws Exception {
    try {
      return call.call();
    } catch (StoreException e) {
      if (e.kind() == Kind.NOT_FOUND && condition instanceof WriteCondition.IfMatch) {
        throw new StoreException(Kind.PRECONDITION_FAILED, object(key), e.detail(), e);
      }
      throw e;
    }
  }

  private JsonNode json(String key, HttpRequest.Builder request) {
    return json(key, request, 0);
  }

  private JsonNode json(String key, HttpRequest.Builder request, long sent) {
    HttpResponse<ByteBuffer> answer = client.send(request, object(key), sent, GcsClient.JSON_BYTES);
    try {
      return JSON.readTree(GcsClient.text(answer));
    } catch (JsonProcessingException e) {
      throw protocol(key, "an answer that is no JSON");
    }
  }

  ObjectStat stat(JsonNode object) {
    String key = object.path("name").asText();
    try {
      return new ObjectStat(
          key,
          Long.parseLong(object.path("size").asText()),
          version(key, object),
          Instant.parse(object.path("updated").asText()));
    } catch (NumberFormatException | DateTimeParseException e) {
      throw protocol(key, "an object without size or time");
    }
  }

  private String version(String key, JsonNode object) {
    String generation = object.path("generation").asText();
    if (!generation.matches("\\d{1,19}")) {
      throw protocol(key, "an object without generation");
    }
    return generation;
  }

  private String when(String key, WriteCondition condition) {
    if (condition instanceof WriteCondition.IfAbsent) {
      return "&ifGenerationMatch=0";
    }
    return condition instanceof WriteCondition.IfMatch
        ? "&ifGenerationMatch=" + generation(key, ((WriteCondition.IfMatch) condition).etag())
        : "";
  }

  /** What is no generation is the version of no object here. */
  private String generation(String key, String etag) {
    if (!etag.matches("[1-9]\\d{0,18}")) {
      throw new StoreException(
          Kind.PRECONDITION_FAILED, object(key), "'" + etag + "' is no generation", null);
    }
    return etag;
  }

  private StoreException protocol(String key, String detail) {
    return new StoreException(Kind.PROTOCOL, object(key), detail, null);
  }

  private String path(String key) {
    return objects + "/" + GcsNames.encode(key);
  }
}
