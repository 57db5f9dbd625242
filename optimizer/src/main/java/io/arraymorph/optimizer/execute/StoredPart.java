package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.ObjectOpener;
import io.arraymorph.store.OpenObject;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;

/**
 * Elements that lie on this machine as they are in memory: whoever takes them reads them, with no
 * request to plan.
 */
final class StoredPart extends ChunkPart {
  private final PendingRequest request;
  private final StorePath object;
  private final ObjectOpener opener;
  private final Addressing.Fixed fixed;
  private final ByteRuns bytes;
  private final Shape counts;
  private final StoredSink sink;

  /**
   * @param bytes of the elements in the object, in {@link StoredRuns#areLong long} runs
   * @param counts their shape
   */
  StoredPart(
      PendingRequest request,
      StorePath object,
      ObjectOpener opener,
      Addressing.Fixed fixed,
      ByteRuns bytes,
      Shape counts,
      StoredSink sink) {
    this.request = request;
    this.object = object;
    this.opener = opener;
    this.fixed = fixed;
    this.bytes = bytes;
    this.counts = counts;
    this.sink = sink;
  }

  @Override
  void require(Batch batch, Piece piece) {}

  @Override
  Elements elements(ChunkDecoder decoder) {
    throw new UnsupportedOperationException("these elements are read by who takes them");
  }

  @Override
  void place(ChunkDecoder decoder, ElementsAssembly target, Hyperslab at) {
    ObjectVersions versions = request.versions();
    try (OpenObject open = opener.open(object.key(), versions.condition(object))) {
      versions.found(object, open.etag());
      long chunkBytes = fixed.storedShape().elementCount() * fixed.elementBytes();
      ChunkDecoder.checkSize(open.size(), chunkBytes);
      request.metrics().addRequest(bytes.byteCount() < chunkBytes);
      StoredRuns runs = new StoredRuns(open, bytes);
      sink.accept(runs, at);
      open.check();
      request.metrics().addBytesRead(runs.bytesRead());
    } catch (StoreException e) {
      switch (e.kind()) {
        case NOT_FOUND:
          versions.absent(object);
          request.checkMayBeMissing(object);
          request.metrics().addFilledChunk();
          target.place(decoder.fill(counts), at);
          break;
        case PRECONDITION_FAILED:
          throw ObjectVersions.changed(object, e.getMessage(), e);
        default:
          throw e;
      }
    }
  }
}
