package io.arraymorph.lambda;

import io.arraymorph.store.StoreConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** Slice servers of this process, for tests. */
final class LoopbackServers {
  /** What callers must send. */
  static final String TOKEN = "secret";

  private LoopbackServers() {}

  /** A server on any port of the loopback interface. */
  static SliceServer start(String allowed, SliceLimits limits) {
    return SliceServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        TOKEN,
        List.of(allowed),
        StoreConfig.empty(),
        limits);
  }
}
