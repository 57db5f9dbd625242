package io.arraymorph.spark.delta;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.connector.read.PartitionReader;

/** Reads the parts of a task one after another. */
final class PartsReader<T> implements PartitionReader<T> {
  private final Iterator<TensorPart> left;
  private final Function<TensorPart, PartitionReader<T>> open;
  private PartitionReader<T> current;

  PartsReader(List<TensorPart> parts, Function<TensorPart, PartitionReader<T>> open) {
    this.left = parts.iterator();
    this.open = open;
  }

  @Override
  public boolean next() throws IOException {
    while (current == null || !current.next()) {
      close();
      if (!left.hasNext()) {
        return false;
      }
      current = open.apply(left.next());
    }
    return true;
  }

  @Override
  public T get() {
    return current.get();
  }

  @Override
  public void close() throws IOException {
    if (current != null) {
      current.close();
      current = null;
    }
  }
}
