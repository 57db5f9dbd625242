package io.arraymorph.layout.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Filters of Zarr v2 that say what the objects of an array are. */
class ObjectFiltersTest {
  private static final String JSON = "{\"id\":\"json2\",\"encoding\":\"utf-8\"}";
  private static final String MESSAGE_PACK = "{\"id\":\"msgpack2\"}";

  private static Elements read(String dtype, String filter, String shape, byte[] chunk) {
    try (MemoryObjectStore store = new MemoryObjectStore("filters")) {
      put(
          store,
          "a/.zarray",
          String.format(
                  "{\"zarr_format\":2,\"shape\":%s,\"chunks\":%s,\"dtype\":\"%s\",\"order\":\"C\","
                      + "\"fill_value\":null,\"compressor\":null,\"filters\":[%s]}",
                  shape, shape, dtype, filter)
              .getBytes(StandardCharsets.UTF_8));
      put(store, shape.contains(",") ? "a/0.0" : "a/0", chunk);
      ZarrArray array = ZarrNodes.openArray(new StorePath(store, "a"));
      return ChunkLoop.read(array, Hyperslab.all(array.schema().shape()), ChunkLoop.WHOLE);
    }
  }

  private static void put(MemoryObjectStore store, String key, byte[] bytes) {
    store.put(key, ByteBuffer.wrap(bytes), WriteCondition.NONE).join();
  }

  private static List<String> texts(Elements elements) {
    VariableWidthElements values = (VariableWidthElements) elements;
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < values.count(); i++) {
      int start = values.offsets()[i];
      int length = values.offsets()[i + 1] - start;
      texts.add(new String(values.bytes(), start, length, StandardCharsets.UTF_8));
    }
    return texts;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void textsInJsonAreRead() {
    byte[] chunk = utf8("[[\"a\",\"z\u00fcrich\",\"\"],[\"d\",\"e\",\"f\"],\"|O\",[2,3]]");
    assertThat(texts(read("|O", JSON, "[2,3]", chunk)))
        .containsExactly("a", "z\u00fcrich", "", "d", "e", "f");
  }

  @Test
  void textsInMessagePackAreRead() {
    ByteArrayOutputStream chunk = new ByteArrayOutputStream();
    String longText = "x".repeat(300);
    chunk.write(0x90 | 5);
    chunk.write(0xa0 | 1);
    chunk.write('a');
    chunk.write(0xa0);
    chunk.writeBytes(new byte[] {(byte) 0xda, 1, 44});
    chunk.writeBytes(utf8(longText));
    chunk.writeBytes(new byte[] {(byte) 0xa2, '|', 'O', (byte) 0x91, 3});
    assertThat(texts(read("|O", MESSAGE_PACK, "[3]", chunk.toByteArray())))
        .containsExactly("a", "", longText);
  }

  @Test
  void listsThatDoNotFitAreErrors() {
    for (String chunk :
        List.of(
            "[\"a\",\"b\",\"|O\",[3]]",
            "[\"a\",\"|O\",[2]]",
            "[\"a\",\"b\",\"c\",\"|O\",[2]]",
            "[\"a\",1,\"|O\",[2]]",
            "[\"a\",null,\"|O\",[2]]",
            "[[\"a\"],[\"b\"],\"|O\",[2]]",
            "{}",
            "[",
            "")) {
      assertThatThrownBy(() -> read("|O", JSON, "[2]", utf8(chunk)))
          .as(chunk)
          .isInstanceOf(CodecException.class);
    }
    for (byte[] chunk :
        List.of(
            new byte[] {(byte) 0xdd, 127, 127, 127, 127},
            new byte[] {(byte) 0x93, (byte) 0xa9, 'a'},
            new byte[] {(byte) 0xc0},
            new byte[200])) {
      assertThatThrownBy(() -> read("|O", MESSAGE_PACK, "[2]", chunk))
          .isInstanceOf(CodecException.class);
    }
  }

  @Test
  void categoriesAreTheirLabelsAndOthersAreEmpty() {
    String filter =
        "{\"id\":\"categorize\",\"labels\":[\"m\u00e4nnlich\",\"w\"],\"dtype\":\"%s\",\"astype\":\"|u1\"}";
    byte[] chunk = {2, 1, 0, (byte) 200};
    assertThat(texts(read("|O", String.format(filter, "|O"), "[4]", chunk)))
        .containsExactly("w", "m\u00e4nnlich", "", "");
    FixedWidthElements fixed =
        (FixedWidthElements) read("<U3", String.format(filter, "<U3"), "[4]", chunk);
    String text = new String(fixed.bytes(), fixed.offset(), 48, Charset.forName("UTF-32LE"));
    assertThat(text).isEqualTo("w\0\0m\u00e4n\0\0\0\0\0\0");
  }

  @Test
  void whatIsNoTextIsRefusedByName() {
    for (String filter :
        List.of("{\"id\":\"pickle\"}", "{\"id\":\"vlen-array\",\"dtype\":\"<i4\"}")) {
      assertThatThrownBy(() -> read("|O", filter, "[1]", new byte[1]))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("UNSUPPORTED_CODEC");
    }
  }
}
