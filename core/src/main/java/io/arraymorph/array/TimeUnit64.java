package io.arraymorph.array;

/** The units of numpy's datetime64 and timedelta64, by their numpy symbols. */
public enum TimeUnit64 {
  YEAR("Y"),
  MONTH("M"),
  WEEK("W"),
  DAY("D"),
  HOUR("h"),
  MINUTE("m"),
  SECOND("s"),
  MILLISECOND("ms"),
  MICROSECOND("us"),
  NANOSECOND("ns"),
  PICOSECOND("ps"),
  FEMTOSECOND("fs"),
  ATTOSECOND("as"),
  /** No unit: numpy's {@code datetime64} without brackets. */
  GENERIC("generic");

  private final String symbol;

  TimeUnit64(String symbol) {
    this.symbol = symbol;
  }

  /** The symbol of numpy, as {@code us}. */
  public String symbol() {
    return symbol;
  }
}
