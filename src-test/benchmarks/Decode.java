import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.execute.ElementStream;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadRequest;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a float32 array without Spark, for bin/bench decode: {@code Decode.java FOLDER
 * whole|stream}. For each line on standard input it reads once and answers seconds, seconds of
 * processor time, sum, requests and bytes.
 */
class Decode {
  private static final com.sun.management.OperatingSystemMXBean SYSTEM =
      (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final VarHandle FLOAT =
      MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);

  public static void main(String[] arguments) throws Exception {
    ZarrArray array = ZarrNodes.openArray(ObjectStores.open(arguments[0], StoreConfig.empty()));
    boolean whole = arguments[1].equals("whole");
    while (System.in.read() >= 0) {
      try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
        long begun = System.nanoTime();
        long cpu = SYSTEM.getProcessCpuTime();
        Object held = whole ? reader.read(array, Hyperslab.all(array.schema().shape())) : null;
        double sum = whole ? 0 : stream(reader, array);
        double seconds = (System.nanoTime() - begun) / 1e9;
        double busy = (SYSTEM.getProcessCpuTime() - cpu) / 1e9;
        sum += whole ? sum((Elements) held) : 0;
        System.out.printf(
            "%f %f %f %d %d%n",
            seconds, busy, sum, reader.metrics().requests(), reader.metrics().bytesRead());
        System.out.flush();
      }
    }
  }

  /** Shard by shard, so that no more than a window of them is in memory; with the sum. */
  private static double stream(HyperslabReader reader, ZarrArray array) {
    List<ReadRequest> requests = new ArrayList<>();
    Hyperslab all = Hyperslab.all(array.schema().shape());
    for (ChunkSelection part : ChunkSelections.of(array.grid(), all)) {
      requests.add(new ReadRequest(array, part.absolute()));
    }
    double sum = 0;
    try (ElementStream stream = reader.stream(requests.iterator())) {
      while (stream.hasNext()) {
        sum += sum(stream.next());
      }
    }
    return sum;
  }

  private static double sum(Elements elements) {
    FixedWidthElements fixed = (FixedWidthElements) elements;
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    byte[] bytes = fixed.bytes();
    int end = fixed.offset() + (int) fixed.byteSize();
    int i = fixed.offset();
    for (; i + 16 <= end; i += 16) {
      sum0 += (float) FLOAT.get(bytes, i);
      sum1 += (float) FLOAT.get(bytes, i + 4);
      sum2 += (float) FLOAT.get(bytes, i + 8);
      sum3 += (float) FLOAT.get(bytes, i + 12);
    }
    for (; i < end; i += 4) {
      sum0 += (float) FLOAT.get(bytes, i);
    }
    return sum0 + sum1 + sum2 + sum3;
  }
}
