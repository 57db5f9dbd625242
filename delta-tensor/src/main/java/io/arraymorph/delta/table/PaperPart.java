package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.paper.PaperLayout;
import java.io.Serializable;
import java.util.ArrayList;

/**
 * What a reader of a file of a table in one of the paper's layouts must know.
 *
 * @param header JSON of the header of the one tensor that is read
 * @param layout of the table
 * @param codeOrder true if CSC is numbered as by the paper's code
 * @param isOnly true if no other tensor has rows in the file
 * @param longChunks true if chunk numbers are longs
 * @param others the other files with rows of the tensor, which has a meaning as a whole only
 */
@SuppressWarnings("ArrayRecordComponent") // Sent to tasks, never compared.
record PaperPart(
    byte[] header,
    PaperLayout layout,
    boolean codeOrder,
    boolean isOnly,
    boolean longChunks,
    @SuppressWarnings("NonApiType") ArrayList<DataFile> others)
    implements Serializable {

  TensorHeader tensor() {
    return HeaderJson.read(header);
  }
}
