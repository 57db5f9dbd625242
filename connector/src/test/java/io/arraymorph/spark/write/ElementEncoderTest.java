package io.arraymorph.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import java.math.BigDecimal;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.junit.jupiter.api.Test;

class ElementEncoderTest {
  @Test
  void arraysOfSparkAreCopiedAsTheyAreOrOneByOne() {
    double[] values = {1.5, -0.0, Double.NaN, 7};
    ElementEncoder encoder =
        ElementEncoder.of("v", DataTypes.DoubleType, new DataType.Float(FloatFormat.FLOAT64));
    for (ArrayData data :
        new ArrayData[] {
          UnsafeArrayData.fromPrimitiveArray(values), new GenericArrayData(values)
        }) {
      FixedWidthElements elements = (FixedWidthElements) encoder.elements(data, Shape.of(2, 2));
      for (int i = 0; i < 4; i++) {
        assertThat(LittleEndianBytes.getLong(elements.bytes(), 8 * i))
            .isEqualTo(Double.doubleToRawLongBits(values[i]));
      }
    }
  }

  @Test
  void nullsBecomeTheFillValue() {
    DataType type = new DataType.Int(16, true);
    ElementEncoder encoder = ElementEncoder.of("v", DataTypes.ShortType, type);
    FixedWidthElements elements =
        (FixedWidthElements)
            encoder.elementsOr(
                new GenericArrayData(new Object[] {(short) 3, null}),
                Shape.of(2),
                ZarrArraySpec.parseFill("-7", type));
    assertThat(elements.bytes()).containsExactly(3, 0, -7, -1);
  }

  @Test
  void unsignedIntegersAreCheckedToFit() {
    ElementEncoder bytes = ElementEncoder.of("v", DataTypes.ShortType, new DataType.Int(8, false));
    FixedWidthElements fits =
        (FixedWidthElements)
            bytes.elements(UnsafeArrayData.fromPrimitiveArray(new short[] {0, 255}), Shape.of(2));
    assertThat(fits.bytes()).containsExactly(0, -1);
    for (short outside : new short[] {-1, 256}) {
      assertThatThrownBy(
              () ->
                  bytes.elements(
                      UnsafeArrayData.fromPrimitiveArray(new short[] {outside}), Shape.of(1)))
          .hasMessageContaining("ARRAYMORPH_TYPE_MISMATCH")
          .hasMessageContaining("value " + outside + " of column v does not fit uint8");
    }
    ElementEncoder longs =
        ElementEncoder.of("v", DataTypes.createDecimalType(20, 0), new DataType.Int(64, false));
    assertThat(unsigned(longs, "18446744073709551615")).isEqualTo(-1);
    assertThatThrownBy(() -> unsigned(longs, "18446744073709551616"))
        .hasMessageContaining("uint64");
    assertThatThrownBy(() -> unsigned(longs, "-1")).hasMessageContaining("uint64");
  }

  @Test
  void typesThatLoseValuesAreRefused() {
    assertThatThrownBy(
            () ->
                ElementEncoder.of(
                    "v", DataTypes.DoubleType, new DataType.Float(FloatFormat.FLOAT32)))
        .hasMessageContaining("ARRAYMORPH_TYPE_MISMATCH");
    assertThatThrownBy(
            () -> ElementEncoder.of("v", DataTypes.StringType, new DataType.Int(32, true)))
        .hasMessageContaining("ARRAYMORPH_TYPE_MISMATCH");
  }

  private static long unsigned(ElementEncoder encoder, String value) {
    Decimal decimal = Decimal.apply(new BigDecimal(value), 20, 0);
    FixedWidthElements elements =
        (FixedWidthElements)
            encoder.elements(new GenericArrayData(new Object[] {decimal}), Shape.of(1));
    return LittleEndianBytes.getLong(elements.bytes(), 0);
  }
}
