package io.arraymorph.spark.read;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** The Arrow memory of this JVM: one root, one child per reader. */
final class ArrowMemory {
  private static final RootAllocator ROOT = new RootAllocator(Long.MAX_VALUE);

  private ArrowMemory() {}

  /** An allocator for one reader, to be closed at the end of its task; fails then if bytes leak. */
  static BufferAllocator child(String name) {
    return ROOT.newChildAllocator(name, 0, Long.MAX_VALUE);
  }

  /** Bytes of all readers of this JVM that are not freed yet. */
  static long allocatedBytes() {
    return ROOT.getAllocatedMemory();
  }
}
