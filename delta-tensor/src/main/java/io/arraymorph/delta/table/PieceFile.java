package io.arraymorph.delta.table;

import java.io.Serializable;
import java.util.Map;

/**
 * A data file that was written and is not yet committed: what a task tells the driver.
 *
 * @param name of the file in the table's directory
 * @param size in bytes
 * @param modified milliseconds since 1970
 * @param tensorId the one tensor of its rows
 * @param kind 0 for a header row, 1 for data rows
 * @param rows number of rows
 * @param cells stored cells of its rows
 * @param bounds least {@code lo} and greatest {@code hi} over the rows
 * @param leastPart number of its first piece
 * @param greatestPart number of its last piece
 * @param tags what the log says of the file for readers in a hurry: the header of a header file,
 *     where the payloads of a data file end
 */
public record PieceFile(
    String name,
    long size,
    long modified,
    String tensorId,
    int kind,
    long rows,
    long cells,
    Bounds bounds,
    long leastPart,
    long greatestPart,
    Map<String, String> tags)
    implements Serializable {

  /** The tag of a header file with its one header, in JSON. */
  static final String HEADER_TAG = "arraymorph.header";

  /** The tag of a data file with the position of the first byte behind its payload columns. */
  static final String TAIL_TAG = "arraymorph.tail";

  /** Longer headers are not repeated in the log. */
  static final int LONGEST_TAG = 8192;

  /** Ranges of the columns {@code lo_d} and {@code hi_d} over the rows of a file. */
  // Read once, by who makes the log entry.
  @SuppressWarnings("ArrayRecordComponent")
  record Bounds(long[] leastLow, long[] greatestLow, long[] leastHigh, long[] greatestHigh)
      implements Serializable {

    /** The bounds of no rows. */
    static Bounds none(int rank) {
      long[] least = new long[rank];
      java.util.Arrays.fill(least, Long.MAX_VALUE);
      long[] greatest = new long[rank];
      return new Bounds(least, greatest, least.clone(), greatest.clone());
    }

    /** Widens the bounds by a row's box. */
    void add(io.arraymorph.delta.tensor.Box box) {
      for (int d = 0; d < leastLow.length; d++) {
        leastLow[d] = Math.min(leastLow[d], box.low(d));
        greatestLow[d] = Math.max(greatestLow[d], box.low(d));
        leastHigh[d] = Math.min(leastHigh[d], box.high(d));
        greatestHigh[d] = Math.max(greatestHigh[d], box.high(d));
      }
    }
  }
}
