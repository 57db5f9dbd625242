package io.arraymorph.layout.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.DataType;
import io.arraymorph.array.IndexRange;
import io.arraymorph.layout.column.ColumnType.Scalar;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecodedColumnTest {

  private static List<Object> values(DecodedColumn column) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < column.count(); i++) {
      values.add(column.valueAt(i));
    }
    return values;
  }

  private static DecodedColumn shorts(Validity validity, int... numbers) {
    byte[] bytes = new byte[2 * numbers.length + 1];
    for (int i = 0; i < numbers.length; i++) {
      LittleEndianBytes.putShort(bytes, 2 * i + 1, (short) numbers[i]);
    }
    return DecodedColumn.fixed(Scalar.SHORT, numbers.length, bytes, 1, validity);
  }

  private static DecodedColumn texts(Validity validity, String... words) {
    int[] offsets = new int[words.length + 1];
    byte[] data = String.join("", words).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < words.length; i++) {
      offsets[i + 1] = offsets[i] + words[i].getBytes(StandardCharsets.UTF_8).length;
    }
    return DecodedColumn.variable(Scalar.STRING, offsets, data, validity);
  }

  @Test
  void selectsStridedRangesOfEveryLayout() {
    Random random = new Random(5);
    for (int run = 0; run < 300; run++) {
      int count = 1 + random.nextInt(20);
      byte[] bits = Validity.allSet(count);
      random.ints(random.nextInt(4), 0, count).forEach(i -> bits[i >> 3] &= (byte) ~(1 << (i & 7)));
      Validity validity = Validity.of(bits, count);
      DecodedColumn numbers = shorts(validity, random.ints(count, -9, 9).toArray());
      DecodedColumn words =
          texts(validity, random.ints(count, 0, 4).mapToObj("ü"::repeat).toArray(String[]::new));
      ColumnType.Struct type =
          new ColumnType.Struct(
              List.of(
                  new ColumnType.Struct.Field("n", Scalar.SHORT),
                  new ColumnType.Struct.Field("w", Scalar.STRING)));
      DecodedColumn both = DecodedColumn.struct(type, count, List.of(numbers, words), validity);
      IndexRange range =
          new IndexRange(random.nextInt(count), random.nextInt(count + 1), 1 + random.nextInt(4));
      for (DecodedColumn column : List.of(numbers, words, both)) {
        List<Object> expected = new ArrayList<>();
        for (long i = range.start(); i < range.stop(); i += range.stride()) {
          expected.add(column.valueAt((int) i));
        }
        DecodedColumn selected = column.select(range);
        assertThat(values(selected)).isEqualTo(expected);
        assertThat(selected.validity().nullCount())
            .isEqualTo((int) expected.stream().filter(v -> v == null).count());
      }
    }
  }

  @Test
  void countsNullsWithoutThePaddingBits() {
    byte[] bits = {(byte) 0b11101111, 0b101};
    Validity validity = Validity.of(bits, 10);
    assertThat(validity.nullCount()).isEqualTo(2);
    assertThat(validity.isNull(4)).isTrue();
    assertThat(validity.isNull(9)).isTrue();
    assertThat(Validity.of(new byte[] {(byte) 0xFF, 1}, 9)).isSameAs(Validity.ALL);
  }

  @Test
  void refusesBuffersThatAreTooShort() {
    assertThatThrownBy(() -> DecodedColumn.fixed(Scalar.LONG, 2, new byte[15], 0, Validity.ALL))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shorts(Validity.ALL, 1, 2).select(IndexRange.of(1, 3)))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void smallAndUnsignedIntegersWiden() {
    assertThat(ColumnType.of(new DataType.Int(2, false))).isEqualTo(Scalar.BYTE);
    assertThat(ColumnType.of(new DataType.Int(4, true))).isEqualTo(Scalar.BYTE);
    assertThat(ColumnType.of(new DataType.Int(8, false))).isEqualTo(Scalar.SHORT);
    assertThat(ColumnType.of(new DataType.Int(16, false))).isEqualTo(Scalar.INT);
    assertThat(ColumnType.of(new DataType.Int(32, false))).isEqualTo(Scalar.LONG);
    assertThat(ColumnType.of(new DataType.Int(64, false))).isEqualTo(Scalar.DECIMAL20);
  }

  @Test
  void refusesByNameWhatNoColumnHolds() {
    assertThatThrownBy(() -> ColumnType.of(new DataType.Struct(List.of())))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_UNSUPPORTED_TYPE")
        .hasMessageContaining("struct");
  }
}
