package io.arraymorph.spark.write;

import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.write.WrittenArray;
import io.arraymorph.store.StorePath;
import java.io.Serializable;

/**
 * One array of a write in a form that can be sent to tasks.
 *
 * @param member name relative to the target; empty if it is the target
 * @param document bytes of a {@code zarr.json} with its type, grid and codecs; the shape may differ
 * @param grownAxis the axis that grows, or -1
 * @param first the first index that may be written along that axis
 * @param limit one past the last index that may be written along each dimension
 */
// Sent, never compared.
@SuppressWarnings("ArrayRecordComponent")
record ArrayJob(String member, byte[] document, int grownAxis, long first, long[] limit)
    implements Serializable {

  /** The array at its place below a target. */
  WrittenArray open(StorePath target) {
    StorePath path = member.isEmpty() ? target : target.resolve(member);
    ZarrArray array = ZarrArray.parse(path, document);
    return grownAxis < 0
        ? WrittenArray.whole(member, array, limit)
        : WrittenArray.grown(member, array, grownAxis, first, limit);
  }
}
