package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.ChunkRepresentation;
import io.arraymorph.layout.codec.CodecConfigurationException;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.store.StorePath;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** An open Zarr array. Immutable and thread-safe. */
public final class ZarrArray implements ZarrNode, ChunkedArray {
  private static final int MAX_CACHED_PIPELINES = 256;

  private final StorePath path;
  private final ArrayMetadata metadata;
  private final String metadataText;
  private final Shape largestChunk;
  private final Shape readChunkShape;
  private final ConcurrentHashMap<Shape, CodecPipeline> pipelines = new ConcurrentHashMap<>();

  /**
   * Binds the codecs once, so that whatever does not fit is refused before anything is read.
   *
   * @param metadataText the documents that {@code metadata} were parsed from
   * @throws ArrayMorphException METADATA_INVALID, UNSUPPORTED_CODEC, UNSUPPORTED_TYPE, TOO_LARGE
   */
  ZarrArray(StorePath path, ArrayMetadata metadata, String metadataText) {
    this.path = path;
    this.metadata = metadata;
    this.metadataText = metadataText;
    this.largestChunk = ChunkShapes.largest(metadata.grid());
    for (Shape shape : ChunkShapes.probes(metadata.grid())) {
      pipeline(shape);
    }
    this.readChunkShape = ChunkShapes.read(pipeline(largestChunk), largestChunk);
  }

  /** The array that a specification describes, as if it was just created at {@code path}. */
  public static ZarrArray of(StorePath path, ZarrArraySpec spec) {
    return ZarrNodes.array(path, MetadataJson.parse(spec.toJson(), path + "/zarr.json"));
  }

  /**
   * The array whose metadata another process read: {@code metadataText} is what {@link
   * #metadataText()} gave there. No request is made.
   */
  public static ZarrArray reopen(StorePath path, String metadataText) {
    return ZarrNodes.ofText(path, metadataText);
  }

  /** The metadata as one JSON text, for {@link #reopen}. */
  public String metadataText() {
    return metadataText;
  }

  /** The array that the bytes of a {@code zarr.json} describe; nothing is read. */
  public static ZarrArray parse(StorePath path, byte[] zarrJson) {
    return ZarrNodes.array(path, MetadataJson.parse(zarrJson, path + "/zarr.json"));
  }

  @Override
  public StorePath path() {
    return path;
  }

  @Override
  public ObjectNode attributes() {
    return metadata.attributes();
  }

  @Override
  public int zarrFormat() {
    return metadata.zarrFormat();
  }

  @Override
  public ArraySchema schema() {
    return metadata.schema();
  }

  @Override
  public ChunkGrid grid() {
    return metadata.grid();
  }

  @Override
  public Shape readChunkShape() {
    return readChunkShape;
  }

  @Override
  public StorePath chunkObject(ChunkCoordinates chunk) {
    return path.resolve(metadata.keys().key(chunk));
  }

  @Override
  public CodecPipeline pipeline(Shape chunkShape) {
    CodecPipeline cached = pipelines.get(chunkShape);
    if (cached != null) {
      return cached;
    }
    CodecPipeline bound = bind(chunkShape);
    if (pipelines.size() < MAX_CACHED_PIPELINES) {
      pipelines.put(chunkShape, bound);
    }
    return bound;
  }

  private CodecPipeline bind(Shape chunkShape) {
    try {
      ArraySchema schema = metadata.schema();
      return metadata
          .codecs()
          .bind(new ChunkRepresentation(schema.dataType(), chunkShape, Optional.of(schema.fill())));
    } catch (CodecConfigurationException e) {
      throw ZarrNodes.toUser(path.toString(), e);
    }
  }

  /**
   * The fill value as the metadata of a v2 array write it; empty for v3, and where v2 says null:
   * some readers take it for a missing value.
   */
  public Optional<JsonNode> v2Fill() {
    return metadata.v2Fill();
  }

  /** The codecs in the order of encoding, as {@code [transpose, bytes, zstd]}. */
  public List<String> codecNames() {
    return metadata.codecs().names();
  }

  /** What compresses the chunks, as {@code zstd:3}, {@code blosc:lz4:shuffle} or {@code none}. */
  public String compressionText() {
    return Compression.textOf(metadata.codecs());
  }

  /** The array as {@code name: int16 (12, 90, 180)}. */
  @Override
  public String toString() {
    return path + ": " + schema().dataType().zarrName() + " " + schema().shape();
  }
}
