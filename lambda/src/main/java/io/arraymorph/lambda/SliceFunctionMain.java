package io.arraymorph.lambda;

import io.arraymorph.store.StoreConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Runs a slice server: {@code --port N --allow URI.. [--set key=value..]}, with the token in the
 * environment variable {@code ARRAYMORPH_SLICE_TOKEN}. Listens on the loopback interface.
 */
public final class SliceFunctionMain {
  private static final String TOKEN = "ARRAYMORPH_SLICE_TOKEN";

  private SliceFunctionMain() {}

  /** Starts the server, says where it answers, and runs until the process ends. */
  public static void main(String[] arguments) throws InterruptedException {
    int port = 0;
    List<String> allowed = new ArrayList<>();
    Map<String, String> settings = new HashMap<>();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      String value = arguments[i + 1];
      switch (arguments[i]) {
        case "--port":
          port = Integer.parseInt(value);
          break;
        case "--allow":
          allowed.add(value);
          break;
        case "--set":
          int equals = value.indexOf('=');
          settings.put(value.substring(0, Math.max(0, equals)), value.substring(equals + 1));
          break;
        default:
          usage("unknown option " + arguments[i]);
      }
    }
    String token = System.getenv(TOKEN);
    if (token == null || token.isBlank() || allowed.isEmpty() || arguments.length % 2 != 0) {
      usage("--allow and the environment variable " + TOKEN + " are needed");
    }
    SliceServer server =
        SliceServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            token,
            allowed,
            StoreConfig.of(settings),
            SliceLimits.DEFAULT);
    System.out.println("slice function answers at " + server.uri());
    new CountDownLatch(1).await();
  }

  private static void usage(String problem) {
    System.err.println(problem);
    System.err.println("usage: slice-function --port N --allow URI.. [--set key=value..]");
    System.exit(2);
  }
}
