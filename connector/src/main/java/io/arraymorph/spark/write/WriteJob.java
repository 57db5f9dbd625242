package io.arraymorph.spark.write;

import io.arraymorph.layout.zarr.write.WriteTicket;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * What is sent to the tasks of a write.
 *
 * @param uri of the target
 * @param store how to open it; silent, for it may hold credentials
 * @param ticket of the write
 * @param arrays all arrays of the write
 * @param columns one for each value column, whose array has the same number
 * @param isTensors true if values are tensors
 * @param packed for tensors: the dimension that each of a tensor's axes is
 * @param rank number of dimensions
 * @param clustered true if each task gets all cells of a chunk object, one after the other
 */
// Sent, never compared.
@SuppressWarnings("ArrayRecordComponent")
record WriteJob(
    String uri,
    StoreConfig store,
    WriteTicket ticket,
    List<ArrayJob> arrays,
    List<ValueColumn> columns,
    boolean isTensors,
    int[] packed,
    int rank,
    boolean clustered)
    implements Serializable {

  /**
   * A column that holds values.
   *
   * @param name as the user named it
   * @param type of the values, of the elements for tensors
   * @param hasNulls whether values may be NULL
   * @param nullIsFill true if NULL is stored as the fill value; else it is an error
   */
  record ValueColumn(String name, DataType type, boolean hasNulls, boolean nullIsFill)
      implements Serializable {}

  /** Where the write goes, opened in this process. */
  StorePath target() {
    return ObjectStores.open(uri, store);
  }
}
