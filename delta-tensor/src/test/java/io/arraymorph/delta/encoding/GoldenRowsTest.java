package io.arraymorph.delta.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.TensorSlice;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Rows that earlier versions wrote, byte for byte, must be read for ever.
 *
 * <p>Each tensor of {@code golden-rows.txt} is its header, its rows (low and high indices of the
 * box, cells, encoding, both payloads in hex) and its cells (indices, value in hex).
 */
class GoldenRowsTest {
  private static final String FILE = "/golden-rows.txt";
  private static final HexFormat HEX = HexFormat.of();

  /** One tensor of the file. */
  private static final class Golden {
    private final TensorHeader header;
    private final String format;
    private final List<Piece> rows = new ArrayList<>();
    private final Set<String> cells = new TreeSet<>();

    Golden(String json) {
      header = HeaderJson.read(json.getBytes(StandardCharsets.UTF_8));
      format = json.replaceAll("^\\{\"format\":(\\d+).*", "$1");
    }
  }

  private static List<Golden> golden() throws IOException {
    List<Golden> all = new ArrayList<>();
    try (InputStream in = GoldenRowsTest.class.getResourceAsStream(FILE)) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        String[] words = line.split(" ", 2);
        if (words[0].equals("tensor")) {
          all.add(new Golden(words[1]));
        } else if (words[0].equals("row")) {
          all.get(all.size() - 1).rows.add(row(words[1].split(" ")));
        } else if (words[0].equals("cell")) {
          all.get(all.size() - 1).cells.add(words[1]);
        }
      }
    }
    return all;
  }

  private static Piece row(String[] words) {
    Box box = Box.of(longs(words[0]), longs(words[1]));
    return new Piece(
        0,
        box,
        Long.parseLong(words[2]),
        1,
        RowFormat.of(words[3]),
        words[4].equals("-") ? new byte[0] : HEX.parseHex(words[4]),
        HEX.parseHex(words[5]));
  }

  private static long[] longs(String text) {
    return Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
  }

  private static Set<String> cells(CellBuffer cells) {
    Set<String> all = new TreeSet<>();
    Elements values = cells.values().toElements();
    for (int i = 0; i < cells.count(); i++) {
      StringBuilder cell = new StringBuilder();
      for (int d = 0; d < cells.rank(); d++) {
        cell.append(d == 0 ? "" : ",").append(cells.column(d)[i]);
      }
      all.add(cell.append(' ').append(HEX.formatHex(bytes(values, i))).toString());
    }
    return all;
  }

  private static byte[] bytes(Elements values, int i) {
    if (values instanceof VariableWidthElements) {
      VariableWidthElements text = (VariableWidthElements) values;
      return Arrays.copyOfRange(text.bytes(), text.offsets()[i], text.offsets()[i + 1]);
    }
    FixedWidthElements fixed = (FixedWidthElements) values;
    int width = fixed.type().byteWidth();
    int start = fixed.offset() + i * width;
    return Arrays.copyOfRange(fixed.bytes(), start, start + width);
  }

  @Test
  void rows_of_every_format_encoding_and_value_code_have_the_cells_they_always_had()
      throws IOException {
    Set<String> formats = new TreeSet<>();
    Set<String> encodings = new TreeSet<>();
    Set<Integer> codes = new TreeSet<>();
    for (Golden golden : golden()) {
      TensorHeader header = golden.header;
      CellBuffer cells = new CellBuffer(header.schema().shape().rank(), header.schema().dataType());
      TensorDecoder decoder = new TensorDecoder(header.schema(), header.layout());
      TensorSlice all = TensorSlice.all(header.schema().shape());
      for (Piece row : golden.rows) {
        decoder.decode(row, all, cells);
        encodings.add(row.format().label());
        codes.add((int) row.values()[0]);
      }
      assertThat(cells(cells)).as(header.tensorId()).isEqualTo(golden.cells);
      assertThat(header.storedCells()).isEqualTo(golden.cells.size());
      formats.add(golden.format);
    }
    assertThat(formats).containsExactly("1", "2", "3");
    assertThat(encodings)
        .containsExactlyInAnyOrder(
            Arrays.stream(RowFormat.values()).map(RowFormat::label).toArray(String[]::new));
    assertThat(codes).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  }
}
