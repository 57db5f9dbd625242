package io.arraymorph.delta.table;

import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;

/** Builds writers of Parquet files with zstd pages, of records that a write support takes. */
final class ZstdParquetBuilder<T> extends ParquetWriter.Builder<T, ZstdParquetBuilder<T>> {
  private final WriteSupport<T> records;

  /**
   * @param level of zstd
   */
  ZstdParquetBuilder(OutputFile file, WriteSupport<T> records, int level) {
    super(file);
    this.records = records;
    Configuration conf = new Configuration(false);
    conf.setInt("parquet.compression.codec.zstd.level", level);
    withConf(conf);
    withCompressionCodec(CompressionCodecName.ZSTD);
  }

  @Override
  protected ZstdParquetBuilder<T> self() {
    return this;
  }

  @SuppressWarnings("deprecation") // Abstract in the versions of Parquet that Spark brings.
  @Override
  protected WriteSupport<T> getWriteSupport(Configuration conf) {
    return records;
  }
}
