package io.arraymorph.cloud.azure;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.util.BinaryData;
import com.azure.core.util.ClientOptions;
import com.azure.core.util.Context;
import com.azure.core.util.polling.LongRunningOperationStatus;
import com.azure.core.util.polling.PollResponse;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.blob.models.BlobCopyInfo;
import com.azure.storage.blob.models.BlobProperties;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.options.BlobBeginCopyOptions;
import com.azure.storage.blob.options.BlockBlobSimpleUploadOptions;
import com.azure.storage.blob.specialized.BlockBlobClient;
import com.azure.storage.common.policy.RequestRetryOptions;
import com.azure.storage.common.policy.RetryPolicyType;
import io.arraymorph.cloud.BucketStore;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.ResolvedRange;
import io.arraymorph.store.SignedUrl;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A container of Azure Blob Storage.
 *
 * <p>Each request is one attempt on a thread of the store; {@code RetryingObjectStore} makes the
 * others. A read of a suffix takes two requests, for the service has no suffix ranges. Objects are
 * block blobs put in one request; copies are the service's own within the account. In a
 * hierarchical namespace, directories are no objects. Thread-safe.
 */
public final class AzureObjectStore extends BucketStore {
  /** The mark of a directory in a hierarchical namespace. */
  static final HttpHeaderName FOLDER = HttpHeaderName.fromString("x-ms-meta-hdi_isfolder");

  static final String FOLDER_KEY = "hdi_isfolder";
  private static final long LEAST_BYTES_PER_SECOND = 64 << 10;
  private static final Duration SERVER_SIDE = Duration.ofMinutes(5);

  private final AzureSettings settings;
  private final BlobContainerClient container;
  private final AzureSigner signer;
  private final ExecutorService work;

  AzureObjectStore(String uri, AzureSettings settings) {
    super(uri, "arraymorph-azure", settings.connections(), "arraymorph_write");
    this.settings = settings;
    this.work =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "arraymorph-azure-http");
              thread.setDaemon(true);
              return thread;
            });
    Duration silence = Duration.ofSeconds(settings.timeoutSeconds());
    BlobContainerClientBuilder builder =
        new BlobContainerClientBuilder()
            .endpoint(settings.endpoint())
            .containerName(settings.container())
            .clientOptions(new ClientOptions().setApplicationId("arraymorph"))
            .httpClient(
                new JdkHttpClientBuilder()
                    // Its own would be the SDK's, whose few threads all may wait for one another.
                    .executor(work)
                    .connectionTimeout(Duration.ofSeconds(10))
                    .responseTimeout(silence)
                    .readTimeout(silence)
                    .writeTimeout(silence)
                    .build())
            .retryOptions(
                new RequestRetryOptions(
                    RetryPolicyType.FIXED, 1, (Integer) null, null, null, null));
    settings.credential().applyTo(builder);
    this.container = builder.buildClient();
    this.signer = new AzureSigner(container, settings.credential().kind());
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    return submit(
        key,
        () -> {
          BlobRequestConditions conditions = new BlobRequestConditions();
          if (condition instanceof ReadCondition.IfMatch) {
            conditions.setIfMatch(quoted(((ReadCondition.IfMatch) condition).etag()));
          }
          BlockBlobClient blob = blob(key);
          ByteRange exact = range;
          if (range instanceof ByteRange.Suffix) {
            BlobProperties head =
                blob.getPropertiesWithResponse(conditions, null, Context.NONE).getValue();
            ResolvedRange tail = ResolvedRange.of(range, head.getBlobSize(), object(key));
            exact = ByteRange.of(tail.start(), tail.start() + tail.length());
            conditions.setIfMatch(head.getETag());
          }
          return new AzureRead(object(key), exact).read(blob, conditions);
        });
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return submit(
        key,
        () -> {
          BlobProperties head = properties(key);
          return new ObjectStat(
              key,
              head.getBlobSize(),
              unquoted(head.getETag()),
              head.getLastModified().toInstant());
        });
  }

  private BlobProperties properties(String key) {
    BlobProperties head = blob(key).getPropertiesWithResponse(null, null, Context.NONE).getValue();
    if (head.getMetadata().containsKey(FOLDER_KEY)) {
      throw new StoreException(Kind.NOT_FOUND, object(key), "is a directory", null);
    }
    return head;
  }

  @Override
  protected RuntimeException failure(String object, RuntimeException thrown) {
    return AzureFailures.of(object, thrown);
  }

  @Override
  protected ListPage page(String prefix, String delimiter, String continuation) {
    return AzureListing.page(container, prefix, delimiter, continuation);
  }

  @Override
  protected CompletableFuture<String> put(
      String key, ByteBuffer bytes, WriteCondition condition, Map<String, String> metadata) {
    ByteBuffer content = bytes.duplicate();
    return submit(
        key,
        () ->
            unquoted(
                blob(key)
                    .uploadWithResponse(
                        new BlockBlobSimpleUploadOptions(BinaryData.fromByteBuffer(content))
                            .setMetadata(metadata)
                            .setRequestConditions(conditions(condition)),
                        null,
                        within(content.remaining()))
                    .getValue()
                    .getETag()));
  }

  @Override
  protected Stored stored(String key) {
    BlobProperties head = properties(key);
    return new Stored(unquoted(head.getETag()), head.getMetadata());
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    return submit(
        sourceKey,
        () -> {
          checkKey(targetKey);
          BlobBeginCopyOptions options =
              new BlobBeginCopyOptions(blob(sourceKey).getBlobUrl())
                  .setPollInterval(Duration.ofMillis(200))
                  .setDestinationRequestConditions(conditions(condition));
          PollResponse<BlobCopyInfo> done =
              blob(targetKey).beginCopy(options).waitForCompletion(SERVER_SIDE);
          if (!LongRunningOperationStatus.SUCCESSFULLY_COMPLETED.equals(done.getStatus())) {
            throw new StoreException(
                Kind.UNAVAILABLE, object(targetKey), "copy ended as " + done.getStatus(), null);
          }
          return unquoted(properties(targetKey).getETag());
        });
  }

  @Override
  protected void remove(String key, WriteCondition condition) {
    try {
      blob(key).deleteWithResponse(null, conditions(condition), null, Context.NONE);
    } catch (RuntimeException e) {
      StoreException failure = AzureFailures.of(object(key), e);
      if (failure.kind() != Kind.NOT_FOUND) {
        throw failure;
      }
      if (condition instanceof WriteCondition.IfMatch) {
        throw new StoreException(Kind.PRECONDITION_FAILED, object(key), "does not exist", failure);
      }
    }
  }

  @Override
  protected Optional<SignedUrl> sign(String key, Duration lifetime) {
    return signer.sign(key, lifetime);
  }

  @Override
  public void close() {
    super.close();
    work.shutdown();
  }

  private BlockBlobClient blob(String key) {
    return container.getBlobClient(key).getBlockBlobClient();
  }

  private static BlobRequestConditions conditions(WriteCondition condition) {
    BlobRequestConditions conditions = new BlobRequestConditions();
    if (condition instanceof WriteCondition.IfAbsent) {
      conditions.setIfNoneMatch("*");
    } else if (condition instanceof WriteCondition.IfMatch) {
      conditions.setIfMatch(quoted(((WriteCondition.IfMatch) condition).etag()));
    }
    return conditions;
  }

  /** Until its answer begins, a put may take the time that its body needs. */
  private Context within(long bytes) {
    return new Context(
        "azure-response-timeout",
        Duration.ofSeconds(settings.timeoutSeconds() + bytes / LEAST_BYTES_PER_SECOND));
  }

  static String unquoted(String etag) {
    return etag == null ? "" : etag.replace("\"", "");
  }

  private static String quoted(String etag) {
    return '"' + etag + '"';
  }
}
