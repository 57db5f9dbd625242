package io.arraymorph.loopback;

import io.arraymorph.loopback.FaultProxy.Effect;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One connection of a client to the proxy, with the proxy's own to the server. */
final class ProxiedConnection {
  private static final long DELAY_MILLIS = 200;
  private static final long STALL_MILLIS = 600_000;

  private final FaultProxy proxy;
  private final Socket client;
  private Socket server;
  private InputStream fromServer;
  private OutputStream toServer;

  ProxiedConnection(FaultProxy proxy, Socket client) {
    this.proxy = proxy;
    this.client = client;
  }

  void run() {
    try {
      InputStream in = new BufferedInputStream(client.getInputStream(), 64 << 10);
      OutputStream out = new BufferedOutputStream(client.getOutputStream(), 64 << 10);
      boolean open = true;
      while (open) {
        HttpHead request = HttpHead.read(in);
        open = request != null && exchange(request, in, out);
      }
    } catch (IOException e) {
      // One side went away, as they do; the other is closed below.
    } finally {
      close(client);
      if (server != null) {
        close(server);
      }
    }
  }

  private void close(Socket socket) {
    try {
      proxy.forget(socket);
    } catch (IOException e) {
      // It is of no more use anyway.
    }
  }

  /** Serves one request; false if the connection must end. */
  private boolean exchange(HttpHead request, InputStream in, OutputStream out) throws IOException {
    String method = request.word(0);
    Effect fault = proxy.nextFault(method, request.word(1));
    if (fault == Effect.RESET) {
      record(request, 0, 0, fault);
      reset();
      return false;
    }
    if (fault == Effect.SILENT) {
      record(request, 0, 0, fault);
      awaitEnd(in);
      return false;
    }
    if (fault == Effect.DENY || fault == Effect.FAIL || fault == Effect.SLOW_DOWN) {
      refuse(request, fault, in, out);
      return false;
    }
    if (server == null) {
      server = proxy.connect();
      fromServer = new BufferedInputStream(server.getInputStream(), 64 << 10);
      toServer = new BufferedOutputStream(server.getOutputStream(), 64 << 10);
    }
    toServer.write(request.bytes());
    HttpHead answer = null;
    if (!request.header("Expect").isEmpty()) {
      toServer.flush();
      answer = HttpHead.read(fromServer);
      if (answer != null && answer.status() == 100) {
        out.write(answer.bytes());
        out.flush();
        answer = null;
      }
    }
    boolean bodySent = answer == null;
    if (bodySent) {
      copyBody(request, in, toServer, Long.MAX_VALUE);
      toServer.flush();
      answer = HttpHead.read(fromServer);
    }
    if (answer == null) {
      throw new EOFException("the server closed the connection");
    }
    boolean keepAlive =
        answer(request, answer, fault, out)
            && bodySent
            && !answer.header("Connection").equalsIgnoreCase("close")
            && !request.header("Connection").equalsIgnoreCase("close");
    out.flush();
    return keepAlive;
  }

  /** Passes the answer on, up to where the fault strikes; false if it struck. */
  private boolean answer(HttpHead request, HttpHead answer, Effect fault, OutputStream out)
      throws IOException {
    int status = answer.status();
    boolean hasBody = !request.word(0).equals("HEAD") && status != 204 && status != 304;
    if (fault == Effect.LOSE) {
      if (hasBody) {
        copyBody(answer, fromServer, OutputStream.nullOutputStream(), Long.MAX_VALUE);
      }
      record(request, 0, 0, fault);
      reset();
      return false;
    }
    if (fault == Effect.DELAY) {
      sleep(DELAY_MILLIS);
    }
    boolean cut = fault == Effect.TRUNCATE || fault == Effect.RESET_BODY || fault == Effect.STALL;
    long most = cut ? answer.contentLength() / 2 : Long.MAX_VALUE;
    out.write(answer.bytes());
    long bytes = hasBody ? copyBody(answer, fromServer, out, most) : 0;
    record(request, status, bytes, fault);
    if (!cut) {
      return true;
    }
    out.flush();
    if (fault == Effect.RESET_BODY) {
      reset();
    } else if (fault == Effect.STALL) {
      sleep(STALL_MILLIS);
    }
    return false;
  }

  /** Reads what comes until the client ends the connection. */
  private void awaitEnd(InputStream in) throws IOException {
    proxy.waitsInVain(1);
    try {
      while (in.read() >= 0) {
        // A client that goes on sending gets no answer either.
      }
    } finally {
      proxy.waitsInVain(-1);
    }
  }

  private void refuse(HttpHead request, Effect fault, InputStream in, OutputStream out)
      throws IOException {
    if (request.header("Expect").isEmpty()) {
      copyBody(request, in, OutputStream.nullOutputStream(), Long.MAX_VALUE);
    }
    int status = fault == Effect.DENY ? 403 : fault == Effect.FAIL ? 500 : 503;
    String code =
        fault == Effect.DENY ? "AccessDenied" : fault == Effect.FAIL ? "InternalError" : "SlowDown";
    String body = "<Error><Code>" + code + "</Code><Message>injected fault</Message></Error>";
    boolean head = request.word(0).equals("HEAD");
    String answer =
        "HTTP/1.1 "
            + status
            + " Injected\r\nContent-Type: application/xml\r\nConnection: close\r\n"
            + (status == 503 ? "Retry-After: 0\r\n" : "")
            + "Content-Length: "
            + body.length()
            + "\r\n\r\n"
            + (head ? "" : body);
    // Before the client can know of it, for tests count right after.
    record(request, status, head ? 0 : body.length(), fault);
    out.write(answer.getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private void record(HttpHead request, int status, long bytes, Effect fault) {
    proxy.record(
        new FaultProxy.Exchange(
            request.word(0), request.word(1), request.header("Range"), status, bytes, fault));
  }

  /** Copies at most so many bytes of a body; returns how many. */
  private static long copyBody(HttpHead head, InputStream in, OutputStream out, long most)
      throws IOException {
    if (!head.isChunked()) {
      return copy(in, out, Math.min(most, head.contentLength()));
    }
    long total = 0;
    while (true) {
      String line = line(in);
      out.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      long size = Long.parseLong(line.split(";")[0].trim(), 16);
      total += copy(in, out, size);
      String end = line(in);
      while (size == 0 && !end.isEmpty()) {
        out.write((end + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        end = line(in);
      }
      out.write("\r\n".getBytes(StandardCharsets.ISO_8859_1));
      if (size == 0) {
        return total;
      }
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("inside a chunked body");
      }
      line.append((char) b);
    }
    return line.toString().trim();
  }

  private static long copy(InputStream in, OutputStream out, long count) throws IOException {
    byte[] buffer = new byte[64 << 10];
    long rest = count;
    while (rest > 0) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, rest));
      if (read < 0) {
        throw new EOFException("inside a body");
      }
      out.write(buffer, 0, read);
      rest -= read;
    }
    return count;
  }

  private void reset() throws IOException {
    client.setSoLinger(true, 0); // close sends RST
  }

  private void sleep(long millis) throws IOException {
    try {
      // In steps, so that closing the proxy ends a stall.
      for (long waited = 0; waited < millis && !client.isClosed(); waited += 50) {
        Thread.sleep(50);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
