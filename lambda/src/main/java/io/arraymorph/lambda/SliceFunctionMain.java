package io.arraymorph.lambda;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.store.StoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Runs a slice server, with the token in the environment variable {@code ARRAYMORPH_SLICE_TOKEN}.
 * Listens on the loopback interface unless told otherwise; what terminates TLS stands before it.
 */
public final class SliceFunctionMain {
  private static final String TOKEN = "ARRAYMORPH_SLICE_TOKEN";
  private static final String USAGE =
      "usage: slice-function --allow URI [--allow URI ..] [--port N] [--address HOST]"
          + " [--set key=value ..] [--answer-bytes N] [--object-bytes N] [--concurrency N]"
          + " [--seconds N]";

  private int port;
  private String address = "127.0.0.1";
  private final List<String> allowed = new ArrayList<>();
  private final Map<String, String> settings = new HashMap<>();
  private SliceLimits limits = SliceLimits.DEFAULT;

  private SliceFunctionMain() {}

  /** Starts the server, says where it answers, and runs until the process ends. */
  public static void main(String[] arguments) throws InterruptedException {
    SliceServer server;
    try {
      server = new SliceFunctionMain().start(arguments, System.getenv(TOKEN));
    } catch (IllegalArgumentException
        | IOException
        | UncheckedIOException
        | ArrayMorphException e) {
      System.err.println(e.getMessage());
      System.err.println(USAGE);
      System.exit(2);
      return;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    System.out.println("slice function answers at " + server.uri());
    new CountDownLatch(1).await();
  }

  /** A server as the arguments say; fails for those that make no sense. */
  SliceServer start(String[] arguments, String token) throws IOException {
    if (arguments.length % 2 != 0) {
      throw new IllegalArgumentException("every option takes a value");
    }
    for (int i = 0; i < arguments.length; i += 2) {
      take(arguments[i], arguments[i + 1]);
    }
    if (token == null || token.isBlank() || allowed.isEmpty()) {
      throw new IllegalArgumentException(
          "--allow and the environment variable " + TOKEN + " are needed");
    }
    return SliceServer.start(
        new InetSocketAddress(InetAddress.getByName(address), port),
        token,
        allowed,
        StoreConfig.of(settings),
        limits);
  }

  private void take(String option, String value) {
    switch (option) {
      case "--port":
        port = (int) number(option, value, 65_535);
        break;
      case "--address":
        address = value;
        break;
      case "--allow":
        allowed.add(value);
        break;
      case "--set":
        int equals = value.indexOf('=');
        if (equals < 1) {
          throw new IllegalArgumentException("--set takes key=value");
        }
        settings.put(value.substring(0, equals), value.substring(equals + 1));
        break;
      case "--answer-bytes":
        limits =
            limits.with(number(option, value, 1 << 30), limits.objectBytes(), limits.concurrency());
        break;
      case "--object-bytes":
        limits =
            limits.with(
                limits.answerBytes(), number(option, value, 2_000_000_000), limits.concurrency());
        break;
      case "--concurrency":
        limits =
            limits.with(
                limits.answerBytes(), limits.objectBytes(), (int) number(option, value, 10_000));
        break;
      case "--seconds":
        limits = limits.within(Duration.ofSeconds(number(option, value, 3600)));
        break;
      default:
        throw new IllegalArgumentException("unknown option " + option);
    }
  }

  private static long number(String option, String value, long most) {
    try {
      long number = Long.parseLong(value);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " " + value + " is not a number", e);
    }
    throw new IllegalArgumentException(option + " " + value + " is not within 0 and " + most);
  }
}
