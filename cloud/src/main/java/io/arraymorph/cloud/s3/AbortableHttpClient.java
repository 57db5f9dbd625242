package io.arraymorph.cloud.s3;

import io.arraymorph.store.RequestPool;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * An HTTP client whose requests end at once when the store's request they belong to is cancelled:
 * reads of a socket do not notice interrupts, so its connection is closed.
 */
final class AbortableHttpClient implements SdkHttpClient {
  private final SdkHttpClient client;

  AbortableHttpClient(SdkHttpClient client) {
    this.client = client;
  }

  @Override
  public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
    ExecutableHttpRequest prepared = client.prepareRequest(request);
    RequestPool.onCancel(prepared::abort);
    return prepared;
  }

  @Override
  public String clientName() {
    return client.clientName();
  }

  @Override
  public void close() {
    client.close();
  }
}
