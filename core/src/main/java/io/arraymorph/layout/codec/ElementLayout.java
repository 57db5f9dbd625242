package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * How the bytes of one stored element differ from the bytes of an element in memory: which numbers
 * are big-endian, and which bytes need to be normalised. Both have the same length.
 *
 * <p>Immutable and thread-safe.
 */
public final class ElementLayout {

  /** What happens to {@code count} units of {@code unit} bytes from {@code offset} on. */
  private record Run(int offset, int unit, int count, Change change) {}

  private enum Change {
    /** Bytes in reverse order. */
    SWAP,
    /** Any non-zero byte is true. */
    BOOL,
    /** The low bits hold the number; the others are its sign. */
    INT2,
    INT4,
    /** The low bits hold the number; the others are zero. */
    UINT2,
    UINT4;

    byte apply(byte b) {
      switch (this) {
        case BOOL:
          return (byte) (b == 0 ? 0 : 1);
        case INT2:
          return (byte) ((byte) (b << 6) >> 6);
        case INT4:
          return (byte) ((byte) (b << 4) >> 4);
        case UINT2:
          return (byte) (b & 3);
        case UINT4:
          return (byte) (b & 15);
        default:
          return b;
      }
    }
  }

  private final int width;
  private final List<Run> runs;
  private final boolean orderMatters;

  private ElementLayout(int width, List<Run> runs, boolean orderMatters) {
    this.width = width;
    this.runs = List.copyOf(runs);
    this.orderMatters = orderMatters;
  }

  /** Elements of a type whose numbers all have one byte order. */
  public static ElementLayout of(DataType type, ByteOrder order) {
    List<Run> runs = new ArrayList<>();
    boolean matters = addRuns(type, order, 0, runs);
    return new ElementLayout(type.byteWidth(), runs, matters);
  }

  /** A structure of fields one after the other. */
  public static ElementLayout struct(List<ElementLayout> fields) {
    List<Run> runs = new ArrayList<>();
    int offset = 0;
    boolean matters = false;
    for (ElementLayout field : fields) {
      for (Run run : field.runs) {
        runs.add(new Run(offset + run.offset(), run.unit(), run.count(), run.change()));
      }
      offset += field.width;
      matters |= field.orderMatters;
    }
    return new ElementLayout(offset, runs, matters);
  }

  private static boolean addRuns(DataType type, ByteOrder order, int offset, List<Run> runs) {
    if (type instanceof DataType.Struct) {
      int at = offset;
      boolean matters = false;
      for (DataType.Struct.Field field : ((DataType.Struct) type).fields()) {
        matters |= addRuns(field.type(), order, at, runs);
        at += field.type().byteWidth();
      }
      return matters;
    }
    if (type instanceof DataType.Bool) {
      runs.add(new Run(offset, 1, 1, Change.BOOL));
      return false;
    }
    if (type instanceof DataType.Int && ((DataType.Int) type).bits() < 8) {
      DataType.Int number = (DataType.Int) type;
      String name = (number.signed() ? "INT" : "UINT") + number.bits();
      runs.add(new Run(offset, 1, 1, Change.valueOf(name)));
      return false;
    }
    int unit = unitWidth(type);
    if (unit > 1 && order == ByteOrder.BIG_ENDIAN) {
      runs.add(new Run(offset, unit, type.byteWidth() / unit, Change.SWAP));
    }
    return unit > 1;
  }

  /** The width of the numbers that an element of this type consists of; 1 for plain bytes. */
  private static int unitWidth(DataType type) {
    if (type instanceof DataType.Complex) {
      return type.byteWidth() / 2;
    }
    if (type instanceof DataType.FixedLengthUtf32) {
      return 4;
    }
    if (type instanceof DataType.RawBytes || type instanceof DataType.NullTerminatedBytes) {
      return 1;
    }
    return type.byteWidth();
  }

  /** Bytes of one element. */
  public int width() {
    return width;
  }

  /** True if some number has more than one byte. */
  boolean orderMatters() {
    return orderMatters;
  }

  /** True if elements are stored as they are in memory. */
  boolean isIdentity() {
    return runs.isEmpty();
  }

  /** One stored element as it is in memory. */
  public byte[] toMemory(byte[] stored) {
    return toMemory(ByteSpan.of(stored), 1).toArray();
  }

  /** The elements as they are in memory; the span itself if nothing differs. */
  ByteSpan toMemory(ByteSpan stored, int count) {
    if (runs.isEmpty() || !differs(stored)) {
      return stored;
    }
    byte[] memory = new byte[stored.length()];
    transform(stored.array(), stored.offset(), memory, count);
    return ByteSpan.of(memory);
  }

  /** The elements as they are stored; the span itself if nothing differs. */
  ByteSpan toStored(ByteSpan memory, int count) {
    return toMemory(memory, count); // every change is its own inverse on normal elements
  }

  /** False if these are only bytes that are normal already. */
  private boolean differs(ByteSpan stored) {
    if (runs.size() != 1 || runs.get(0).change() == Change.SWAP || width != 1) {
      return true;
    }
    Change change = runs.get(0).change();
    int end = stored.offset() + stored.length();
    for (int i = stored.offset(); i < end; i++) {
      byte b = stored.array()[i];
      if (change.apply(b) != b) {
        return true;
      }
    }
    return false;
  }

  private void transform(byte[] from, int start, byte[] to, int count) {
    Run first = runs.get(0);
    if (runs.size() == 1
        && first.change() == Change.SWAP
        && first.unit() * first.count() == width) {
      swap(from, start, to, count * width, first.unit());
      return;
    }
    System.arraycopy(from, start, to, 0, count * width);
    for (Run run : runs) {
      for (int e = 0, at = run.offset(); e < count; e++, at += width) {
        if (run.change() == Change.SWAP) {
          reverse(to, at, run.unit(), run.count());
        } else {
          to[at] = run.change().apply(to[at]);
        }
      }
    }
  }

  private static void reverse(byte[] bytes, int offset, int unit, int count) {
    for (int u = 0; u < count; u++) {
      for (int i = offset + u * unit, j = i + unit - 1; i < j; i++, j--) {
        byte b = bytes[i];
        bytes[i] = bytes[j];
        bytes[j] = b;
      }
    }
  }

  /** Copies {@code length} bytes and reverses each unit. Bulk moves between views are intrinsic. */
  private static void swap(byte[] from, int start, byte[] to, int length, int unit) {
    ByteBuffer source = ByteBuffer.wrap(from, start, length).slice().order(ByteOrder.BIG_ENDIAN);
    ByteBuffer target = ByteBuffer.wrap(to).order(ByteOrder.LITTLE_ENDIAN);
    switch (unit) {
      case 2:
        target.asShortBuffer().put(source.asShortBuffer());
        break;
      case 4:
        target.asIntBuffer().put(source.asIntBuffer());
        break;
      case 8:
        target.asLongBuffer().put(source.asLongBuffer());
        break;
      default:
        throw new AssertionError("unit of " + unit + " bytes");
    }
  }
}
