package io.arraymorph.optimizer.execute;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.function.RemoteSliceFunction;
import io.arraymorph.optimizer.function.SliceFunctionOptions;
import io.arraymorph.slice.SliceBatch;
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server on the loopback interface that knows the right answer to each slice of a store in
 * memory, and writes whatever bytes a test wants instead.
 */
final class RawFunction implements AutoCloseable {
  static final String TOKEN = "tok-3n0fth3functi0n";

  /** How a call is answered; may throw to close the connection. */
  interface Manner {
    void answer(Call call) throws IOException, InterruptedException;
  }

  /**
   * A request that was read.
   *
   * @param head its lines, with the token
   * @param body of the request
   * @param number of the call, from 0
   * @param right the answer to it
   */
  @SuppressWarnings("ArrayRecordComponent") // Not compared.
  record Call(Socket socket, String head, byte[] body, SliceBatch batch, int number, Answer right) {
    void write(String text) throws IOException {
      write(text.getBytes(ISO_8859_1));
    }

    void write(byte[] bytes) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      out.flush();
    }

    /** Writes an answer as HTTP has it. */
    void write(Answer answer) throws IOException {
      StringBuilder text = new StringBuilder("HTTP/1.1 " + answer.status + "\r\n");
      answer.headers.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
      write(text + "\r\n");
      write(answer.body);
    }
  }

  /** An answer to be changed. */
  static final class Answer {
    String status = "200 OK";
    final Map<String, String> headers = new LinkedHashMap<>();
    byte[] body;

    Answer(byte[] body) {
      this.body = body;
      stateLength();
    }

    void stateLength() {
      headers.put("Content-Length", Integer.toString(body.length));
    }

    void stateCrc() {
      java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
      crc.update(body);
      headers.put(SliceProtocol.CRC_HEADER, Long.toHexString(crc.getValue()));
    }
  }

  private final MemoryObjectStore store;
  private final Manner manner;
  private final ServerSocket server;
  private final URI endpoint;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger batches = new AtomicInteger();

  RawFunction(MemoryObjectStore store, Manner manner) {
    this.store = store;
    this.manner = manner;
    try {
      this.server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // What a process knows of an endpoint is not to be known of a later one at the same port.
    this.endpoint =
        URI.create("http://127.0.0.1:" + server.getLocalPort() + "/" + UUID.randomUUID());
    threads.execute(this::accept);
  }

  URI endpoint() {
    return endpoint;
  }

  /** Requests that came. */
  int calls() {
    return calls.get();
  }

  /** Those for several slices. */
  int batches() {
    return batches.get();
  }

  RemoteSliceFunction function(boolean required) {
    return RemoteSliceFunction.of(new SliceFunctionOptions(endpoint, TOKEN, required, false));
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        open.add(socket);
        threads.execute(() -> serve(socket));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (String head = head(in); head != null; head = head(in)) {
        int length = Integer.parseInt(head.replaceAll("(?is).*content-length: *(\\d+).*", "$1"));
        byte[] body = in.readNBytes(length);
        SliceBatch batch = SliceBatch.parse(body);
        if (batch.together()) {
          batches.incrementAndGet();
        }
        manner.answer(
            new Call(socket, head, body, batch, calls.getAndIncrement(), right(batch, body)));
      }
    } catch (IOException e) {
      // The caller went away.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        return null;
      }
      head.write(next);
    }
    return head.toString(ISO_8859_1);
  }

  private Answer right(SliceBatch batch, byte[] request) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    List<Optional<SliceBatch.Version>> versions = new ArrayList<>();
    for (SliceRequest slice : batch.slices()) {
      String key = slice.object().substring(store.uri().length() + 1);
      ObjectBytes all;
      try {
        all = store.get(key, ByteRange.WHOLE, ReadCondition.NONE).join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof StoreException) {
          versions.add(Optional.empty());
          continue;
        }
        throw e;
      }
      versions.add(Optional.of(new SliceBatch.Version(all.etag(), all.objectSize())));
      body.write(selected(slice.part(), all));
    }
    Answer answer = new Answer(body.toByteArray());
    answer.stateCrc();
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(request);
    answer.headers.put(SliceProtocol.REQUEST_HEADER, Long.toHexString(crc.getValue()));
    if (batch.together()) {
      answer.headers.put(SliceProtocol.VERSIONS_HEADER, SliceBatch.header(versions));
    } else if (versions.get(0).isPresent()) {
      answer.headers.put(SliceProtocol.ETAG_HEADER, versions.get(0).get().etag());
      answer.headers.put(SliceProtocol.SIZE_HEADER, "" + versions.get(0).get().objectBytes());
    } else {
      answer.status = "404 Not Found";
      answer.headers.put(SliceProtocol.CODE_HEADER, "NOT_FOUND");
    }
    return answer;
  }

  private byte[] selected(SliceRequest.Part part, ObjectBytes all) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (part instanceof SliceRequest.Runs) {
      byte[] stored = new byte[all.bytes().remaining()];
      all.bytes().duplicate().get(stored);
      for (SliceRuns run : ((SliceRequest.Runs) part).runs()) {
        byte[] bytes = new byte[(int) run.byteCount()];
        run.append(stored, 0, bytes, 0);
        body.write(bytes);
      }
      return body.toByteArray();
    }
    SliceRequest.Boxes boxes = (SliceRequest.Boxes) part;
    ZarrArray array = ZarrArray.reopen(new StorePath(store, "a"), boxes.metadata());
    FixedWidthElements chunk =
        (FixedWidthElements) array.pipeline(boxes.chunkShape()).decode(all.bytes().duplicate());
    for (Hyperslab box : boxes.boxes()) {
      FixedWidthElements packed = (FixedWidthElements) HyperslabCopy.pack(chunk, box);
      body.write(packed.bytes(), packed.offset(), (int) packed.byteSize());
    }
    return body.toByteArray();
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.shutdownNow();
  }
}
