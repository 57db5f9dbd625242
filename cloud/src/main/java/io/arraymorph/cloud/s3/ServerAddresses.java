package io.arraymorph.cloud.s3;

import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The addresses of a server as of some seconds ago, each time another one first. Thread-safe. */
final class ServerAddresses {
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String host;
  private final Resolver resolver;
  private CompletableFuture<List<InetAddress>> latest;
  private long askedAt;
  private int turn;

  ServerAddresses(String host, Resolver resolver) {
    this.host = host;
    this.resolver = resolver;
  }

  /** Knows all addresses of a host; may block. */
  interface Resolver {
    InetAddress[] addresses(String host) throws UnknownHostException;
  }

  /** At least one; fails if none is known. */
  synchronized CompletableFuture<List<InetAddress>> next() {
    long now = System.nanoTime();
    if (latest == null || latest.isCompletedExceptionally() || now - askedAt > RECENT_NANOS) {
      askedAt = now;
      latest = CompletableFuture.supplyAsync(this::resolve);
    }
    int first = turn++;
    return latest.thenApply(
        all -> {
          List<InetAddress> turned = new ArrayList<>();
          for (int i = 0; i < all.size(); i++) {
            turned.add(all.get(Math.floorMod(first + i, all.size())));
          }
          return turned;
        });
  }

  private List<InetAddress> resolve() {
    try {
      return List.of(resolver.addresses(host));
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }
}
