package io.arraymorph.layout.zarr.write;

import java.util.List;

/**
 * One write to a target, held by the one process that publishes it; tasks contribute through {@link
 * TaskWrite}.
 *
 * <p>Begun by a {@link TargetClaim}, which must stay open until the write has ended by {@link
 * #commit} or {@link #abort}.
 */
public sealed interface NodeWrite permits NodeCreation, NodeAppend, NodeReplacement {

  /**
   * What tasks need to know.
   *
   * @param arrays the arrays they will write
   */
  WriteTicket ticket(List<WrittenArray> arrays, WriteTicket.Duplicates duplicates);

  /**
   * Publishes what the tasks wrote.
   *
   * @param ticket the ticket the tasks had
   * @param arrays the arrays the tasks had, with final shapes
   * @param tasks what each committed task attempt returned, one for each task
   * @param documents the metadata of the node
   * @throws io.arraymorph.ArrayMorphException if it could not be published; call {@link #abort}
   */
  void commit(
      WriteTicket ticket,
      List<WrittenArray> arrays,
      List<TaskChunks> tasks,
      NodeDocuments documents);

  /**
   * Undoes what is not visible. What is half published stays, for the next writer or repair to
   * finish.
   */
  void abort();
}
