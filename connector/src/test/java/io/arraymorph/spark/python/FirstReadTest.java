package io.arraymorph.spark.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.FixedWidthElements;
import org.junit.jupiter.api.Test;

class FirstReadTest {

  @Test
  void decodesOneChunkAndFillsTheOther() {
    FixedWidthElements read = (FixedWidthElements) FirstRead.read();
    assertThat(read.bytes()).hasSize(16);
    // Two zeros that were stored, two NaN that were not.
    assertThat(read.bytes()[11] & 0x7f).isEqualTo(0x7f);
    assertThat(read.bytes()[3]).isZero();
  }
}
