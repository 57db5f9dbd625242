package io.arraymorph.delta.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.RowFormat;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PayloadPageTest {
  private final ObjectStore store = new MemoryObjectStore("m");

  private static List<Piece> pieces(Random random, int count) {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean dense = random.nextInt(3) == 0;
      byte[] positions = new byte[dense ? 0 : 1 + random.nextInt(300)];
      byte[] values = new byte[1 + random.nextInt(2000)];
      random.nextBytes(positions);
      random.nextBytes(values);
      Box box = Box.of(new long[] {i, 0}, new long[] {i, 9});
      RowFormat format = dense ? RowFormat.FTSF : RowFormat.COO;
      pieces.add(new Piece(i, box, 1 + i % 10, 80, format, positions, values));
    }
    return pieces;
  }

  private DataFile put(List<Piece> pieces, WriterVersion version, CompressionCodecName codec)
      throws IOException {
    return put("f", pieces, version, codec);
  }

  private DataFile put(
      String key, List<Piece> pieces, WriterVersion version, CompressionCodecName codec)
      throws IOException {
    ParquetBytes out = new ParquetBytes();
    try (ParquetWriter<TableRow> writer =
        new ZstdParquetBuilder<>(out, new RowWriteSupport(2), 3)
            .withCompressionCodec(codec)
            .withWriterVersion(version)
            .withRowGroupSize(60_000L)
            .withPageSize(4096)
            .withMinRowCountForPageSizeCheck(1)
            .withMaxRowCountForPageSizeCheck(3)
            .withDictionaryEncoding(TableColumns.IDX, false)
            .withDictionaryEncoding(TableColumns.VAL, false)
            .build()) {
      for (Piece piece : pieces) {
        writer.write(TableRow.of("t", piece));
      }
    }
    byte[] bytes = out.toByteArray();
    store.put(key, ByteBuffer.wrap(bytes), WriteCondition.NONE).join();
    return new DataFile(key, bytes.length, new long[0], -1);
  }

  @ParameterizedTest
  @CsvSource({
    "PARQUET_1_0, ZSTD, true",
    "PARQUET_1_0, UNCOMPRESSED, true",
    "PARQUET_1_0, GZIP, false",
    "PARQUET_2_0, ZSTD, false",
  })
  void rows_are_those_written_whoever_reads_the_pages(
      WriterVersion version, CompressionCodecName codec, boolean direct) throws IOException {
    for (int seed = 0; seed < 6; seed++) {
      Random random = new Random(seed);
      List<Piece> pieces = pieces(random, 1 + random.nextInt(250));
      DataFileReader reader = new DataFileReader(store);
      FileIndex index = reader.index(put(pieces, version, codec));
      assertThat(index.tail().pages().isPresent()).isEqualTo(direct);
      int keep = 1 + random.nextInt(4);
      int[] rows =
          IntStream.range(0, pieces.size()).filter(r -> random.nextInt(keep) == 0).toArray();
      List<Integer> seen = new ArrayList<>();
      int atOnce = 1 + random.nextInt(40);
      reader.map(
          index,
          rows,
          atOnce,
          (row, idx, val) -> {
            assertThat(idx).isEqualTo(pieces.get(row).positions());
            assertThat(val).isEqualTo(pieces.get(row).values());
            return row;
          },
          seen::add);
      assertThat(seen).as("seed %d", seed).containsExactlyElementsOf(boxed(rows));
      seen.clear();
      reader.payloads(
          index,
          rows,
          (row, idx, val) -> {
            assertThat(val).isEqualTo(pieces.get(row).values());
            seen.add(row);
          });
      assertThat(seen).as("seed %d", seed).containsExactlyElementsOf(boxed(rows));
    }
  }

  @ParameterizedTest
  @CsvSource({"PARQUET_1_0, ZSTD", "PARQUET_1_0, UNCOMPRESSED", "PARQUET_2_0, ZSTD"})
  void values_alone_are_those_written_whether_or_not_one_has_its_page_to_itself(
      WriterVersion version, CompressionCodecName codec) throws IOException {
    for (int seed = 0; seed < 6; seed++) {
      Random random = new Random(seed);
      List<Piece> pieces = new ArrayList<>();
      for (int i = 0; i < 120; i++) {
        byte[] values = new byte[random.nextInt(3) == 0 ? random.nextInt(50) : 9_000];
        random.nextBytes(values);
        Box box = Box.of(new long[] {i, 0}, new long[] {i, 9});
        pieces.add(new Piece(i, box, 10, 80, RowFormat.FTSF, new byte[0], values));
      }
      DataFileReader reader = new DataFileReader(store);
      FileIndex index = reader.index(put(pieces, version, codec));
      int[] rows = IntStream.range(0, pieces.size()).filter(r -> random.nextInt(3) > 0).toArray();
      Queue<Integer> seen = new ConcurrentLinkedQueue<>();
      DataFileReader.ValuesSink sink =
          (row, array, from, to) -> {
            assertThat(Arrays.copyOfRange(array, from, to)).isEqualTo(pieces.get(row).values());
            Arrays.fill(array, from, to, (byte) -1); // It is the reader's to use.
            seen.add(row);
          };
      reader.eachValues(List.of(new DataFileReader.WantedRows(index, rows, sink)));
      assertThat(seen).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(boxed(rows));
    }
  }

  @Test
  void the_next_file_is_asked_for_before_the_first_was_decoded() throws IOException {
    AtomicLong gets = new AtomicLong(); // sent, whether they were answered or not
    ObjectStore counted =
        new ForwardingObjectStore(store) {
          @Override
          public CompletableFuture<ObjectBytes> get(
              String key, ByteRange range, ReadCondition condition) {
            gets.incrementAndGet();
            return super.get(key, range, condition);
          }
        };
    DataFileReader reader = new DataFileReader(counted);
    List<List<Piece>> pieces = new ArrayList<>();
    List<DataFileReader.WantedRows> wanted = new ArrayList<>();
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    Queue<Long> sent = new ConcurrentLinkedQueue<>();
    List<String> expected = new ArrayList<>();
    for (int f = 0; f < 5; f++) {
      int file = f;
      pieces.add(pieces(new Random(f), 10 + f));
      boolean plain = f == 3; // Read by Parquet's own reader.
      DataFile stored =
          put(
              "file" + f,
              pieces.get(f),
              WriterVersion.PARQUET_1_0,
              plain ? CompressionCodecName.GZIP : CompressionCodecName.ZSTD);
      FileIndex index = reader.index(stored);
      assertThat(index.tail().pages().isPresent()).isEqualTo(!plain);
      int[] rows = f == 2 ? new int[0] : IntStream.range(0, pieces.get(f).size()).toArray();
      wanted.add(
          new DataFileReader.WantedRows(
              index,
              rows,
              (row, array, from, to) -> {
                assertThat(Arrays.copyOfRange(array, from, to))
                    .isEqualTo(pieces.get(file).get(row).values());
                seen.add(file + "/" + row);
                if (file == 0) {
                  sent.add(gets.get());
                }
              }));
      IntStream.of(rows).forEach(row -> expected.add(file + "/" + row));
    }
    reader.eachValues(wanted);
    assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(sent).isNotEmpty().containsOnly(gets.get());
  }

  private static List<Integer> boxed(int[] rows) {
    return IntStream.of(rows).boxed().toList();
  }

  @Test
  void a_flipped_bit_of_any_page_is_found() throws IOException {
    List<Piece> pieces = pieces(new Random(7), 40);
    DataFile file = put(pieces, WriterVersion.PARQUET_1_0, CompressionCodecName.ZSTD);
    byte[] bytes =
        store
            .get("f", io.arraymorph.store.ByteRange.WHOLE, io.arraymorph.store.ReadCondition.NONE)
            .join()
            .bytes()
            .array();
    FileIndex clean = new DataFileReader(store).index(file);
    PayloadPages pages = clean.tail().pages().orElseThrow();
    for (PayloadPages.Chunk chunk : pages.values()) {
      for (int p = 0; p < chunk.offsets().length; p++) {
        byte[] damaged = bytes.clone();
        damaged[(int) chunk.offsets()[p] + chunk.sizes()[p] - 5] ^= 4;
        store.put("f", ByteBuffer.wrap(damaged), WriteCondition.NONE).join();
        DataFileReader reader = new DataFileReader(store);
        FileIndex index = reader.index(file);
        int[] all = IntStream.range(0, pieces.size()).toArray();
        assertThatThrownBy(() -> reader.map(index, all, 8, (row, idx, val) -> row, row -> {}))
            .isInstanceOfSatisfying(
                ArrayMorphException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.CHUNK_CORRUPT))
            .hasMessageContaining("checksum");
        DataFileReader.ValuesSink nobody = (row, array, from, to) -> {};
        var wanted = List.of(new DataFileReader.WantedRows(index, all, nobody));
        assertThatThrownBy(() -> reader.eachValues(wanted))
            .isInstanceOfSatisfying(
                ArrayMorphException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.CHUNK_CORRUPT))
            .hasMessageContaining("checksum");
      }
    }
  }
}
