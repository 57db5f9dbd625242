package io.arraymorph.s3server;

import java.io.InputStream;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.blobstore.ForwardingBlobStore;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/** A store whose requests on objects each take some milliseconds longer, as a remote one's do. */
final class SlowBlobStore extends ForwardingBlobStore {
  private final long millis;

  SlowBlobStore(BlobStore store, long millis) {
    super(store);
    this.millis = millis;
  }

  private void pause() {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public ResponseInputStream<GetObjectResponse> getBlob(GetObjectRequest request) {
    pause();
    return super.getBlob(request);
  }

  @Override
  public PutObjectResponse putBlob(PutObjectRequest request, InputStream content) {
    pause();
    return super.putBlob(request, content);
  }

  @Override
  public HeadObjectResponse blobMetadata(HeadObjectRequest request) {
    pause();
    return super.blobMetadata(request);
  }

  @Override
  public ListObjectsV2Response list(ListObjectsV2Request request) {
    pause();
    return super.list(request);
  }
}
