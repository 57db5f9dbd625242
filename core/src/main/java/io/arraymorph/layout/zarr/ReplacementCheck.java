package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.JsonTree;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Makes sure, after chunks were read, that the array was not replaced meanwhile: whoever replaces a
 * plain Zarr array takes its metadata away before the first chunk changes.
 *
 * <p>An array that grew meanwhile passes, for its old cells did not change.
 */
public final class ReplacementCheck {
  private ReplacementCheck() {}

  /**
   * The write that created or replaced the array with these attributes; empty if it was not written
   * by arraymorph.
   */
  public static String generation(JsonNode attributes) {
    return attributes.path("_arraymorph").path("generation").asText("");
  }

  /**
   * Reads an array's {@code zarr.json} again (one request); arrays that others wrote have no
   * generation and cost none: for them only chunks that are read twice show a change.
   *
   * @param array the array whose chunks were read
   * @param generation {@link #generation} when it was opened
   * @throws ArrayMorphException ARRAY_BEING_REPLACED or OBJECT_CHANGED if chunks that were read may
   *     belong to another array by now
   */
  public static void verify(StorePath array, String generation) {
    if (generation.isEmpty()) {
      return;
    }
    StorePath document = array.resolve("zarr.json");
    JsonNode now;
    try {
      CompletableFuture<ObjectBytes> read =
          document.store().get(document.key(), ByteRange.WHOLE, ReadCondition.NONE);
      java.nio.ByteBuffer bytes = read.join().bytes();
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      now = JsonTree.parse(new String(copy, StandardCharsets.UTF_8));
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof StoreException) {
        StoreException cause = (StoreException) failed.getCause();
        if (cause.kind() == StoreException.Kind.NOT_FOUND) {
          throw changed(array, "is gone", cause);
        }
        throw cause.toUser();
      }
      throw failed;
    } catch (JsonProcessingException malformed) {
      throw changed(array, "has other metadata", malformed);
    }
    ReplacementMarker.refuse(now, array);
    if (!generation(now.path("attributes")).equals(generation)) {
      throw changed(array, "was replaced", null);
    }
  }

  private static ArrayMorphException changed(StorePath array, String how, Throwable cause) {
    return new ArrayMorphException(
        ErrorCode.OBJECT_CHANGED,
        array + " " + how + " while it was being read",
        "Load the array again and run the query on that",
        cause);
  }
}
