package io.arraymorph.layout.cf;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.column.Validity;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Decodes numbers in blocks that stay in the processor's cache: read, mask, convert and store are
 * one plain loop each, so that no cell costs a call and the whole is one pass over memory.
 */
final class NumberDecoder {
  private static final int BLOCK = 2048;

  private final DataType dataType;
  private final Scalar columnType;
  private final boolean signed;
  private final MissingValues missing;
  private final CfDecoding.Scaling scaling;
  private final TimeUnits time;
  private final String subject;
  private final boolean unsigned64;

  private byte[] validity;

  NumberDecoder(
      DataType dataType,
      Scalar columnType,
      boolean signed,
      MissingValues missing,
      CfDecoding.Scaling scaling,
      TimeUnits time,
      String subject) {
    this.subject = subject;
    this.dataType = dataType;
    this.columnType = columnType;
    this.signed = signed;
    this.missing = missing;
    this.scaling = scaling;
    this.time = time;
    this.unsigned64 =
        dataType instanceof DataType.Int && ((DataType.Int) dataType).bits() == 64 && !signed;
  }

  /** True if stored bytes are the values of the column, missing or not. */
  static boolean keepsBytes(
      DataType dataType, Scalar columnType, CfDecoding.Scaling scaling, TimeUnits time) {
    if (scaling != null || time != null) {
      return false;
    }
    if (dataType instanceof DataType.Float) {
      FloatFormat format = ((DataType.Float) dataType).format();
      return format == FloatFormat.FLOAT32 || format == FloatFormat.FLOAT64;
    }
    return dataType instanceof DataType.Bool
        || (dataType instanceof DataType.Int
            && columnType != Scalar.BOOLEAN
            && dataType.byteWidth() == columnType.byteWidth());
  }

  DecodedColumn decode(FixedWidthElements raw) {
    int count = raw.count();
    boolean keepsBytes = keepsBytes(dataType, columnType, scaling, time);
    if (keepsBytes && missing.isEmpty()) {
      return DecodedColumn.fixed(columnType, count, raw.bytes(), raw.offset(), Validity.ALL);
    }
    validity = Validity.allSet(count);
    if (columnType == Scalar.STRING) {
      return decodeTexts(raw, count);
    }
    byte[] values = keepsBytes ? null : new byte[Math.multiplyExact(count, columnType.byteWidth())];
    long[] longs = new long[BLOCK];
    double[] doubles = new double[BLOCK];
    for (int first = 0; first < count; first += BLOCK) {
      int n = Math.min(BLOCK, count - first);
      boolean isLong = convert(raw, first, n, longs, doubles);
      if (values != null && isLong) {
        store(longs, n, values, first);
      } else if (values != null) {
        store(doubles, n, values, first);
      }
    }
    Validity valid = Validity.of(validity, count);
    return keepsBytes
        ? DecodedColumn.fixed(columnType, count, raw.bytes(), raw.offset(), valid)
        : DecodedColumn.fixed(columnType, count, values, 0, valid);
  }

  /** Reads, masks and converts one block; true if the result is in {@code longs}. */
  private boolean convert(
      FixedWidthElements raw, int first, int n, long[] longs, double[] doubles) {
    int from = raw.offset() + first * dataType.byteWidth();
    if (dataType instanceof DataType.Float) {
      FloatFormat format = ((DataType.Float) dataType).format();
      RawNumbers.doubles(raw.bytes(), from, format, doubles, n);
      missing.clear(doubles, n, validity, first);
    } else {
      RawNumbers.longs(
          raw.bytes(),
          from,
          dataType.byteWidth(),
          signed || !(dataType instanceof DataType.Int),
          longs,
          n);
      missing.clear(longs, n, validity, first);
      if (dataType instanceof DataType.DateTime64) {
        DataType.DateTime64 type = (DataType.DateTime64) dataType;
        ticks(longs, n, first, type.unit(), type.scale());
        return true;
      }
      if (dataType instanceof DataType.TimeDelta64) {
        DataType.TimeDelta64 type = (DataType.TimeDelta64) dataType;
        ticks(longs, n, first, type.unit(), type.scale());
        return true;
      }
      if (scaling == null) {
        if (time != null) {
          dates(longs, n, first);
        }
        return true;
      }
      RawNumbers.toDoubles(longs, unsigned64, doubles, n);
    }
    if (scaling != null) {
      double factor = scaling.factor();
      double offset = scaling.offset();
      for (int i = 0; i < n; i++) {
        doubles[i] = doubles[i] * factor + offset;
      }
    }
    if (time != null) {
      MissingValues.clearNan(doubles, n, validity, first);
      dates(doubles, longs, n, first);
      return true;
    }
    return false;
  }

  private boolean isNull(int i) {
    return (validity[i >> 3] & (1 << (i & 7))) == 0;
  }

  private void dates(long[] block, int n, int first) {
    for (int i = 0; i < n; i++) {
      if (!isNull(first + i)) {
        long count = block[i];
        if (count == Long.MIN_VALUE && !unsigned64) { // NaT, which xarray stores without _FillValue
          MissingValues.clearBit(validity, first + i);
          continue;
        }
        try {
          if (unsigned64 && count < 0) {
            throw new ArithmeticException("long overflow");
          }
          block[i] = date(time.micros(count));
        } catch (ArithmeticException e) {
          throw beyond(unsigned64 ? Long.toUnsignedString(count) : Long.toString(count), e);
        }
      }
    }
  }

  private void dates(double[] block, long[] target, int n, int first) {
    for (int i = 0; i < n; i++) {
      if (!isNull(first + i)) {
        try {
          target[i] = date(time.micros(block[i]));
        } catch (ArithmeticException e) {
          throw beyond(Double.toString(block[i]), e);
        }
      }
    }
  }

  private long date(long calendarMicros) {
    return columnType == Scalar.TIMESTAMP ? time.timestamp(calendarMicros) : calendarMicros;
  }

  private ArrayMorphException beyond(String value, ArithmeticException cause) {
    return new ArrayMorphException(
        ErrorCode.METADATA_INVALID,
        "time value "
            + value
            + (subject.isEmpty() ? "" : " of " + subject)
            + " is no date that a timestamp can show ("
            + cause.getMessage()
            + ")",
        "Read with decode=false for the stored numbers",
        cause);
  }

  /** numpy's times: the least long is NaT. Units finer than a microsecond are floored. */
  private void ticks(long[] block, int n, int first, TimeUnit64 unit, int scale) {
    for (int i = 0; i < n; i++) {
      if (block[i] == Long.MIN_VALUE) {
        MissingValues.clearBit(validity, first + i);
      } else if (columnType != Scalar.LONG) {
        try {
          block[i] = Ticks.micros(block[i], unit, scale);
        } catch (ArithmeticException | java.time.DateTimeException e) {
          throw beyond(
              block[i] + " x " + scale + " " + unit.symbol(),
              new ArithmeticException(e.getMessage()));
        }
      }
    }
  }

  private void store(long[] block, int n, byte[] values, int first) {
    switch (columnType.byteWidth()) {
      case 1:
        boolean asBoolean = columnType == Scalar.BOOLEAN;
        for (int i = 0; i < n; i++) {
          values[first + i] = asBoolean ? (byte) (block[i] == 0 ? 0 : 1) : (byte) block[i];
        }
        break;
      case 2:
        for (int i = 0; i < n; i++) {
          LittleEndianBytes.putShort(values, 2 * (first + i), (short) block[i]);
        }
        break;
      case 4:
        for (int i = 0; i < n; i++) {
          LittleEndianBytes.putInt(values, 4 * (first + i), (int) block[i]);
        }
        break;
      default:
        for (int i = 0; i < n; i++) {
          LittleEndianBytes.putLong(values, 8 * (first + i), block[i]);
        }
        break;
    }
  }

  private void store(double[] block, int n, byte[] values, int first) {
    if (columnType == Scalar.FLOAT) {
      for (int i = 0; i < n; i++) {
        LittleEndianBytes.putFloat(values, 4 * (first + i), (float) block[i]);
      }
    } else {
      for (int i = 0; i < n; i++) {
        LittleEndianBytes.putDouble(values, 8 * (first + i), block[i]);
      }
    }
  }

  private DecodedColumn decodeTexts(FixedWidthElements raw, int count) {
    long[] longs = new long[BLOCK];
    double[] doubles = new double[BLOCK];
    int[] offsets = new int[count + 1];
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (int first = 0; first < count; first += BLOCK) {
      int n = Math.min(BLOCK, count - first);
      convert(raw, first, n, longs, doubles);
      for (int i = 0; i < n; i++) {
        if (!isNull(first + i)) {
          data.writeBytes(time.text(longs[i]).getBytes(StandardCharsets.US_ASCII));
        }
        offsets[first + i + 1] = data.size();
      }
    }
    return DecodedColumn.variable(
        Scalar.STRING, offsets, data.toByteArray(), Validity.of(validity, count));
  }
}
