package io.arraymorph.lambda;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.slice.SliceBatch;
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slice function without a server: takes the body of a request, and gives status, headers and
 * body of the answer (docs/spec/subset.md). Who calls it has checked the token, and says how many
 * calls run at once. Thread-safe.
 */
final class SliceService {
  private static final Logger LOG = LoggerFactory.getLogger(SliceService.class);

  /** The longest text of a refusal: what callers sent is not sent back to them. */
  private static final int REFUSAL_CHARS = 500;

  private final AllowedObjects allowed;
  private final StoreConfig config;
  private final SliceLimits limits;
  private final ExecutorService workers;
  private final HttpClient http;
  private final PacedReads.Stores reads = new PacedReads.Stores();

  /**
   * @param allowed what may be read, as {@link SliceServer#start} has it
   * @param config how stores are opened
   * @param workers run the slices of a call that are not small
   */
  SliceService(
      List<String> allowed, StoreConfig config, SliceLimits limits, ExecutorService workers) {
    this.allowed = new AllowedObjects(allowed);
    this.config = config;
    this.limits = limits;
    this.workers = workers;
    this.http =
        HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(5))
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
  }

  /**
   * An answer or a refusal.
   *
   * @param status of HTTP
   * @param body in parts, one after the other
   */
  record Reply(int status, Map<String, String> headers, List<byte[]> body) {
    /** Bytes of the body. */
    long length() {
      return body.stream().mapToLong(part -> part.length).sum();
    }

    static Reply refusal(int status, String code, String problem) {
      String said = String.valueOf(problem);
      String text = said.substring(0, Math.min(said.length(), REFUSAL_CHARS));
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("Content-Type", "text/plain; charset=utf-8");
      headers.put(SliceProtocol.CODE_HEADER, code);
      return new Reply(status, headers, List.of(text.getBytes(StandardCharsets.UTF_8)));
    }
  }

  /**
   * Answers a request, in as long as the limits say at most; every failure is a refusal.
   *
   * @param body of the request, as docs/spec/subset.md says
   * @param memory of the call, to be closed once the reply is sent
   */
  Reply answer(byte[] body, HeapBudget.Lease memory) {
    long start = System.nanoTime();
    SliceBatch batch;
    BatchSlicer slicer;
    List<Optional<BatchSlicer.Part>> parts;
    try {
      batch = SliceBatch.parse(body);
      List<ObjectSource> sources = new ArrayList<>();
      for (SliceRequest slice : batch.slices()) {
        Optional<ObjectSource> source = source(slice);
        if (source.isEmpty()) {
          return Reply.refusal(403, "NOT_ALLOWED", "this server may not read " + slice.object());
        }
        sources.add(source.get());
      }
      slicer =
          new BatchSlicer(
              batch.slices(), sources, reads, memory, limits, Deadline.in(limits.time()));
      parts = slicer.run(workers);
    } catch (Deadline.SliceTimeoutException e) {
      return Reply.refusal(504, "TIMEOUT", "the slice took longer than " + limits.time());
    } catch (HeapBudget.BusyException e) {
      return Reply.refusal(503, "BUSY", e.getMessage());
    } catch (IllegalArgumentException e) {
      return Reply.refusal(400, "INVALID_REQUEST", e.getMessage());
    } catch (StoreException e) {
      return Reply.refusal(status(e.kind()), e.kind().name(), e.getMessage());
    } catch (CodecException e) {
      return Reply.refusal(422, "CHUNK_CORRUPT", e.getMessage());
    } catch (ArrayMorphException e) {
      return Reply.refusal(422, e.code().name(), e.getMessage());
    } catch (RuntimeException | OutOfMemoryError e) {
      LOG.warn("a slice failed", e);
      return Reply.refusal(500, "INTERNAL", "the server failed: " + e.getClass().getSimpleName());
    }
    return reply(body, batch, parts, slicer.bytesRead(), start);
  }

  private static Reply reply(
      byte[] request,
      SliceBatch batch,
      List<Optional<BatchSlicer.Part>> parts,
      long bytesRead,
      long start) {
    List<byte[]> body = new ArrayList<>();
    CRC32C crc = new CRC32C();
    for (Optional<BatchSlicer.Part> part : parts) {
      if (part.isPresent()) {
        crc.update(part.get().bytes());
        body.add(part.get().bytes());
      }
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/octet-stream");
    headers.put(SliceProtocol.CRC_HEADER, Long.toHexString(crc.getValue()));
    CRC32C asked = new CRC32C();
    asked.update(request);
    headers.put(SliceProtocol.REQUEST_HEADER, Long.toHexString(asked.getValue()));
    headers.put(SliceProtocol.READ_HEADER, Long.toString(bytesRead));
    if (batch.together()) {
      headers.put(
          SliceProtocol.VERSIONS_HEADER,
          SliceBatch.header(
              parts.stream().map(part -> part.map(BatchSlicer.Part::version)).toList()));
    } else {
      SliceBatch.Version version = parts.get(0).orElseThrow().version();
      headers.put(SliceProtocol.ETAG_HEADER, version.etag());
      headers.put(SliceProtocol.SIZE_HEADER, Long.toString(version.objectBytes()));
    }
    headers.put(SliceProtocol.TIME_HEADER, Long.toString((System.nanoTime() - start) / 1000));
    return new Reply(200, headers, body);
  }

  /** Where the object is read, empty if it may not be. */
  private Optional<ObjectSource> source(SliceRequest request) {
    if (request.readUrl().isEmpty()) {
      return allowed.holds(request.object())
          ? Optional.of(ObjectSource.of(ObjectStores.open(request.object(), config)))
          : Optional.empty();
    }
    URI url = request.readUrl().get();
    return allowed.holds(url)
        ? Optional.of(
            new PresignedObject(http, url, request.object(), limits.objectBytes(), limits.time()))
        : Optional.empty();
  }

  private static int status(StoreException.Kind kind) {
    switch (kind) {
      case NOT_FOUND:
        return 404;
      case DENIED:
        return 403;
      case PRECONDITION_FAILED:
        return 412;
      case RANGE_NOT_SATISFIABLE:
        return 422;
      case INVALID:
        return 400;
      default:
        return 502;
    }
  }
}
