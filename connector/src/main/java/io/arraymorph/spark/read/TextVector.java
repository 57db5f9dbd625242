package io.arraymorph.spark.read;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** Texts, one per row or one for all rows. */
final class TextVector extends HeapColumnVector {
  private final UTF8String[] texts;

  TextVector(String[] texts) {
    super(DataTypes.StringType);
    this.texts = new UTF8String[texts.length];
    for (int i = 0; i < texts.length; i++) {
      this.texts[i] = UTF8String.fromString(texts[i]);
    }
  }

  @Override
  public UTF8String getUTF8String(int row) {
    return texts[texts.length == 1 ? 0 : row];
  }
}
