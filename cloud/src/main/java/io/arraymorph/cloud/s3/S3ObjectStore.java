package io.arraymorph.cloud.s3;

import io.arraymorph.cloud.BucketStore;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectKeys;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.SignedUrl;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Error;

/**
 * A bucket of Amazon S3 or of a server that speaks its protocol.
 *
 * <p>Each request is one attempt, on a thread of the store unless it is a read; {@code
 * RetryingObjectStore} makes the others. The server must support If-None-Match and If-Match on puts
 * (Amazon S3 since 2024). Copies are server-side up to 5 GiB; a conditional copy reads and writes.
 * A conditional delete also compares the ETag before, for servers that do not know the condition.
 * Listings follow the server's order; Amazon's directory buckets do not sort. Thread-safe.
 */
public final class S3ObjectStore extends BucketStore {
  /** Objects longer than this are sent in parts. */
  static final int MULTIPART_BYTES = 64 << 20;

  private static final int DELETE_BATCH = 1000;

  private final String bucket;
  private final S3Settings settings;
  private final SdkHttpClient http;
  private final S3Client client;
  private final Optional<S3Gets> gets;
  private final S3Signer signer;

  S3ObjectStore(String uri, String bucket, S3Settings settings) {
    this(uri, bucket, settings, Clock.systemUTC());
  }

  /**
   * @param clock for the signatures of reads
   */
  S3ObjectStore(String uri, String bucket, S3Settings settings, Clock clock) {
    super(uri, "arraymorph-s3", settings.connections(), "arraymorph-write");
    this.bucket = bucket;
    this.settings = settings;
    this.http = S3Clients.http(settings);
    this.client = S3Clients.create(settings, http);
    this.gets =
        S3Gets.of(http, settings, bucket, client.utilities(), new ServerClock(clock), threads());
    this.signer = new S3Signer(bucket, settings);
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    if (gets.isEmpty()) {
      return submit(
          key,
          s3 ->
              new S3Read(object(key), range, S3Clients.grace(settings))
                  .read(s3, bucket, key, condition));
    }
    try {
      checkKey(key);
    } catch (StoreException e) {
      return CompletableFuture.failedFuture(e);
    }
    return gets.get().get(key, range, condition, object(key));
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return submit(
        key,
        s3 -> {
          HeadObjectResponse head = s3.headObject(request -> request.bucket(bucket).key(key));
          return new ObjectStat(
              key, head.contentLength(), unquoted(head.eTag()), head.lastModified());
        });
  }

  @Override
  protected RuntimeException failure(String object, RuntimeException thrown) {
    if (thrown instanceof SdkException) {
      return S3Failures.of(object, (SdkException) thrown);
    }
    if (thrown instanceof IllegalStateException) {
      // Apache's way to say that the connection pool was shut down: by us, or by an error in it.
      return isClosed()
          ? new StoreException(Kind.CANCELLED, object, "the store was closed", thrown)
          : new StoreException(Kind.UNAVAILABLE, object, "the client failed: " + thrown, thrown);
    }
    return thrown;
  }

  @Override
  protected ListPage page(String prefix, String delimiter, String continuation) {
    return S3Listing.page(client, bucket, prefix, delimiter, continuation);
  }

  @Override
  protected CompletableFuture<String> put(
      String key, ByteBuffer bytes, WriteCondition condition, Map<String, String> metadata) {
    ByteBuffer content = bytes.asReadOnlyBuffer();
    if (bytes.hasArray()) {
      content = bytes.duplicate();
    }
    if (content.remaining() > MULTIPART_BYTES && ObjectKeys.isValid(key)) {
      CreateMultipartUploadRequest create =
          CreateMultipartUploadRequest.builder()
              .bucket(bucket)
              .key(key)
              .metadata(metadata)
              .serverSideEncryption(settings.encryption().orElse(null))
              .ssekmsKeyId(settings.encryptionKey().orElse(null))
              .build();
      return S3Upload.start(this, create, content, condition);
    }
    RequestBody body = body(content);
    PutObjectRequest.Builder request =
        PutObjectRequest.builder()
            .bucket(bucket)
            .key(key)
            .overrideConfiguration(within(content.remaining()))
            .contentLength((long) content.remaining())
            .metadata(metadata)
            .serverSideEncryption(settings.encryption().orElse(null))
            .ssekmsKeyId(settings.encryptionKey().orElse(null));
    ifMatch(condition).ifPresent(request::ifMatch);
    if (condition instanceof WriteCondition.IfAbsent) {
      request.ifNoneMatch("*");
    }
    return submit(
        key,
        s3 -> {
          try {
            return unquoted(s3.putObject(request.build(), body).eTag());
          } catch (SdkException e) {
            throw writeFailure(key, condition, e);
          }
        });
  }

  @Override
  protected Stored stored(String key) {
    HeadObjectResponse head = client.headObject(request -> request.bucket(bucket).key(key));
    return new Stored(unquoted(head.eTag()), head.metadata());
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    if (!(condition instanceof WriteCondition.None)) {
      return copyByReading(sourceKey, targetKey, condition);
    }
    CopyObjectRequest request =
        CopyObjectRequest.builder()
            .sourceBucket(bucket)
            .sourceKey(sourceKey)
            .destinationBucket(bucket)
            .destinationKey(targetKey)
            .overrideConfiguration(S3Clients.serverSide())
            .serverSideEncryption(settings.encryption().orElse(null))
            .ssekmsKeyId(settings.encryptionKey().orElse(null))
            .build();
    return submit(
        sourceKey,
        s3 -> {
          checkKey(targetKey);
          return unquoted(s3.copyObject(request).copyObjectResult().eTag());
        });
  }

  @Override
  protected void remove(String key, WriteCondition condition) {
    Optional<String> etag = ifMatch(condition);
    try {
      if (etag.isPresent()) {
        String found = client.headObject(head -> head.bucket(bucket).key(key)).eTag();
        if (!quoted(unquoted(found)).equals(etag.get())) {
          throw new StoreException(Kind.PRECONDITION_FAILED, object(key), "has changed", null);
        }
      }
      client.deleteObject(request -> request.bucket(bucket).key(key).ifMatch(etag.orElse(null)));
    } catch (SdkException e) {
      throw writeFailure(key, condition, e);
    }
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    List<String> all = List.copyOf(keys);
    List<CompletableFuture<?>> batches = new ArrayList<>();
    for (int start = 0; start < all.size(); start += DELETE_BATCH) {
      List<String> batch = all.subList(start, Math.min(all.size(), start + DELETE_BATCH));
      batches.add(
          run(
              "",
              () -> {
                ObjectKeys.checkAll(uri(), all);
                return deleteBatch(client, batch);
              }));
    }
    return CompletableFuture.allOf(batches.toArray(new CompletableFuture<?>[0]))
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(StoreException.of(failure, uri())));
  }

  private Void deleteBatch(S3Client s3, List<String> keys) {
    List<ObjectIdentifier> objects =
        keys.stream().map(key -> ObjectIdentifier.builder().key(key).build()).toList();
    List<S3Error> errors =
        s3.deleteObjects(
                request -> request.bucket(bucket).delete(list -> list.objects(objects).quiet(true)))
            .errors();
    for (S3Error error : errors) {
      if (!"NoSuchKey".equals(error.code())) {
        throw new StoreException(
            S3Failures.kind(String.valueOf(error.code())),
            object(error.key()),
            errors.size() + " of " + keys.size() + " deletes failed: " + error.message(),
            null);
      }
    }
    return null;
  }

  @Override
  protected Optional<SignedUrl> sign(String key, Duration lifetime) {
    try {
      return Optional.of(signer.sign(client, key, lifetime));
    } catch (URISyntaxException e) {
      throw new StoreException(Kind.PROTOCOL, object(key), "the signed URL is no URI", null);
    }
  }

  @Override
  public void close() {
    super.close();
    signer.close();
    gets.ifPresent(S3Gets::close);
    client.close();
    http.close();
  }

  /** Runs one request about a valid key on a thread of the store. */
  <T> CompletableFuture<T> submit(String key, Function<S3Client, T> call) {
    return submit(key, () -> call.apply(client));
  }

  /** The time that a request may take that sends this many bytes. */
  AwsRequestOverrideConfiguration within(long bytes) {
    return S3Clients.within(S3Clients.grace(settings), bytes);
  }

  /** Ends an upload whose parts must not stay behind; nobody waits for it. */
  @SuppressWarnings("FutureReturnValueIgnored") // the upload has failed already, with its cause
  void abort(String key, String uploadId) {
    submit(
        key,
        s3 ->
            s3.abortMultipartUpload(request -> request.bucket(bucket).key(key).uploadId(uploadId)));
  }

  /** A failed write: that If-Match finds no object at all is a condition that does not hold. */
  StoreException writeFailure(String key, WriteCondition condition, Throwable thrown) {
    StoreException failure =
        thrown instanceof SdkException
            ? S3Failures.of(object(key), (SdkException) thrown)
            : StoreException.of(thrown, object(key));
    boolean gone =
        failure.kind() == Kind.NOT_FOUND
            && condition instanceof WriteCondition.IfMatch
            && !failure.detail().contains("NoSuchBucket");
    return gone
        ? new StoreException(Kind.PRECONDITION_FAILED, object(key), failure.detail(), thrown)
        : failure;
  }

  static Optional<String> ifMatch(WriteCondition condition) {
    return condition instanceof WriteCondition.IfMatch
        ? Optional.of(quoted(((WriteCondition.IfMatch) condition).etag()))
        : Optional.empty();
  }

  /** The bytes of a buffer as the body of a request, not copied. */
  static RequestBody body(ByteBuffer bytes) {
    ByteBuffer content = bytes.duplicate();
    return RequestBody.fromContentProvider(
        () -> stream(content.duplicate()), content.remaining(), "application/octet-stream");
  }

  private static InputStream stream(ByteBuffer bytes) {
    return bytes.hasArray()
        ? new ByteArrayInputStream(
            bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining())
        : new BufferInputStream(bytes);
  }

  static String unquoted(String etag) {
    return etag == null ? "" : etag.replace("\"", "");
  }

  private static String quoted(String etag) {
    return '"' + etag + '"';
  }
}
