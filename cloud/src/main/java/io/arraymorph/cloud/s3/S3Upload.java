package io.arraymorph.cloud.s3;

import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;

/**
 * The upload of one large object in parts, several at a time; the object appears when all are
 * there.
 *
 * <p>A failed or cancelled upload is aborted, so that no parts stay behind and cost money.
 */
final class S3Upload extends CompletableFuture<String> {
  private static final int LEAST_PART_BYTES = 16 << 20;
  private static final int MOST_PARTS = 10_000;

  private final S3ObjectStore store;
  private final String key;
  private final ByteBuffer bytes;
  private final WriteCondition condition;
  private final CreateMultipartUploadRequest create;
  private final List<CompletableFuture<?>> requests = new ArrayList<>();

  private S3Upload(
      S3ObjectStore store,
      CreateMultipartUploadRequest create,
      ByteBuffer bytes,
      WriteCondition condition) {
    this.store = store;
    this.key = create.key();
    this.bytes = bytes;
    this.condition = condition;
    this.create = create;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // both outcomes go into the upload
  static CompletableFuture<String> start(
      S3ObjectStore store,
      CreateMultipartUploadRequest create,
      ByteBuffer bytes,
      WriteCondition condition) {
    S3Upload upload = new S3Upload(store, create, bytes, condition);
    upload
        .request(s3 -> s3.createMultipartUpload(upload.create).uploadId())
        .thenCompose(upload::sendParts)
        .whenComplete(upload::finish);
    return upload;
  }

  private CompletableFuture<String> sendParts(String id) {
    int size = Math.max(LEAST_PART_BYTES, bytes.remaining() / MOST_PARTS + 1);
    List<CompletableFuture<CompletedPart>> parts = new ArrayList<>();
    for (int start = 0; start < bytes.remaining(); start += size) {
      ByteBuffer part =
          bytes.slice(bytes.position() + start, Math.min(size, bytes.remaining() - start));
      int number = parts.size() + 1;
      parts.add(request(s3 -> sendPart(s3, id, number, part)));
    }
    return CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0]))
        .thenCompose(
            sent -> {
              List<CompletedPart> completed = parts.stream().map(CompletableFuture::join).toList();
              return request(s3 -> s3.completeMultipartUpload(completion(id, completed)).eTag());
            })
        .whenComplete(
            (etag, failure) -> {
              if (failure != null) {
                stop();
                store.abort(key, id);
              }
            });
  }

  private CompletedPart sendPart(S3Client s3, String id, int number, ByteBuffer part) {
    RequestBody body = S3ObjectStore.body(part);
    String etag =
        s3.uploadPart(
                request ->
                    request
                        .bucket(create.bucket())
                        .key(key)
                        .uploadId(id)
                        .partNumber(number)
                        .overrideConfiguration(store.within(part.remaining()))
                        .contentLength((long) part.remaining()),
                body)
            .eTag();
    return CompletedPart.builder().partNumber(number).eTag(etag).build();
  }

  private CompleteMultipartUploadRequest completion(String id, List<CompletedPart> parts) {
    CompleteMultipartUploadRequest.Builder request =
        CompleteMultipartUploadRequest.builder()
            .bucket(create.bucket())
            .key(key)
            .uploadId(id)
            .overrideConfiguration(S3Clients.serverSide())
            .multipartUpload(list -> list.parts(parts));
    Optional<String> etag = S3ObjectStore.ifMatch(condition);
    etag.ifPresent(request::ifMatch);
    if (condition instanceof WriteCondition.IfAbsent) {
      request.ifNoneMatch("*");
    }
    return request.build();
  }

  private void finish(String etag, Throwable failure) {
    if (failure == null) {
      complete(S3ObjectStore.unquoted(etag));
    } else {
      completeExceptionally(store.writeFailure(key, condition, failure));
    }
  }

  private <T> CompletableFuture<T> request(Function<S3Client, T> call) {
    CompletableFuture<T> request = store.submit(key, call);
    synchronized (requests) {
      requests.add(request);
    }
    if (isDone()) {
      request.cancel(true);
    }
    return request;
  }

  private void stop() {
    List<CompletableFuture<?>> copy;
    synchronized (requests) {
      copy = List.copyOf(requests);
    }
    copy.forEach(request -> request.cancel(true));
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    stop();
    return cancelled;
  }
}
