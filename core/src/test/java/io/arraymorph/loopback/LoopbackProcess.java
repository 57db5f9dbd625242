package io.arraymorph.loopback;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/**
 * A server program that listens on a port of the loopback interface; it ends with {@link #close}.
 */
public final class LoopbackProcess implements AutoCloseable {
  private static final int START_SECONDS = 60;

  private final Process process;

  private LoopbackProcess(Process process) {
    this.process = process;
  }

  /** A port that was free a moment ago. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /**
   * Starts a program and waits until it accepts connections.
   *
   * @throws IllegalStateException if it ends before, or does not within a minute
   */
  public static LoopbackProcess start(ProcessBuilder builder, int port)
      throws IOException, InterruptedException {
    Process process =
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    for (int i = 0; i < START_SECONDS * 20 && process.isAlive(); i++) {
      if (accepts(port)) {
        return new LoopbackProcess(process);
      }
      Thread.sleep(50);
    }
    process.destroyForcibly();
    throw new IllegalStateException("did not start: " + builder.command());
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
