package io.arraymorph.s3server;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobStore;
import software.amazon.awssdk.services.s3.model.CreateBucketRequest;

/**
 * An S3 server over a directory, on a free port of the loopback interface.
 *
 * <pre>
 * S3Server --data DIR [--port N] [--bucket NAME].. [--latency MILLISECONDS] [--stay]
 * </pre>
 *
 * <p>Signatures are checked; the access key is {@code test}, the secret {@code testsecret}. When
 * the server accepts requests it prints its endpoint, {@code http://127.0.0.1:PORT}, as the only
 * line of standard output. It ends when standard input ends, so it never outlives the process that
 * started it; with {@code --stay} it ends only by a signal.
 */
public final class S3Server {
  private static final String ACCESS_KEY = "test";
  private static final String SECRET_KEY = "testsecret";

  private S3Server() {}

  /** Starts the server; returns when it has stopped. */
  public static void main(String[] args) throws Exception {
    Path data = null;
    int port = 0;
    long latencyMillis = 0;
    boolean stay = false;
    List<String> buckets = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--data" -> data = Path.of(args[++i]).toAbsolutePath();
        case "--port" -> port = Integer.parseInt(args[++i]);
        case "--bucket" -> buckets.add(args[++i]);
        case "--latency" -> latencyMillis = Long.parseLong(args[++i]);
        case "--stay" -> stay = true;
        default -> throw new IllegalArgumentException("unknown argument " + args[i]);
      }
    }
    if (data == null) {
      throw new IllegalArgumentException("--data DIR is missing");
    }
    Files.createDirectories(data);
    BlobStore store = new FilesystemNio2BlobStore(data.toString());
    for (String bucket : buckets) {
      if (!Files.isDirectory(data.resolve(bucket))) {
        store.createContainer(CreateBucketRequest.builder().bucket(bucket).build());
      }
    }
    S3Proxy server =
        S3Proxy.builder()
            .blobStore(latencyMillis == 0 ? store : new SlowBlobStore(store, latencyMillis))
            .endpoint(URI.create("http://127.0.0.1:" + port))
            .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, ACCESS_KEY, SECRET_KEY)
            .ignoreUnknownHeaders(true)
            .build();
    server.start();
    System.out.println("http://127.0.0.1:" + server.getPort());
    System.out.flush();
    if (stay) {
      Thread.currentThread().join();
    }
    while (System.in.read() >= 0) {
      // Wait for the end of input.
    }
    server.stop();
  }
}
