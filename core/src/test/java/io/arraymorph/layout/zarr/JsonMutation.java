package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Random changes to documents and to bytes. */
final class JsonMutation {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();
  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "0",
          "-1",
          "1",
          "2",
          "3",
          "7",
          "2147483647",
          "2147483648",
          "4294967296",
          "1099511627776",
          "4611686018427387904",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775809",
          "1e400",
          "0.5",
          "-0.0",
          "\"\"",
          "\"bytes\"",
          "\"../x\"",
          "\"NaN\"",
          "\"0x7fc00000\"",
          "\"int32\"",
          "\"string\"",
          "\"|O\"",
          "\"<M8[ns]\"",
          "\"little\"",
          "\"start\"",
          "[]",
          "{}",
          "[0]",
          "[1,1]",
          "[[1,1000000]]",
          "[9223372036854775807,1]",
          "{\"name\":\"crc32c\"}",
          "{\"name\":\"bytes\"}",
          "{\"must_understand\":false}",
          "{\"id\":\"zlib\"}",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "[1,[2,[3]]]",
          "{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}");

  private JsonMutation() {}

  /** The document with one to four changes, as bytes; sometimes no longer JSON. */
  static byte[] document(byte[] original, Random random) {
    if (random.nextInt(5) == 0) {
      return bytes(original, random);
    }
    try {
      JsonNode root = MAPPER.readTree(original);
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        change(root, random);
      }
      return root.toString().getBytes(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void change(JsonNode root, Random random) throws IOException {
    List<JsonNode> containers = new ArrayList<>();
    collect(root, containers);
    JsonNode at = containers.get(random.nextInt(containers.size()));
    JsonNode other = containers.get(random.nextInt(containers.size())).deepCopy();
    JsonNode value =
        random.nextInt(4) == 0 ? other : MAPPER.readTree(VALUES.get(random.nextInt(VALUES.size())));
    if (at instanceof ObjectNode) {
      List<String> names = new ArrayList<>();
      at.fieldNames().forEachRemaining(names::add);
      String name = names.isEmpty() ? "x" : names.get(random.nextInt(names.size()));
      switch (random.nextInt(4)) {
        case 0:
          ((ObjectNode) at).remove(name);
          break;
        case 1:
          ((ObjectNode) at).set(name + "x", value);
          break;
        default:
          ((ObjectNode) at).set(name, value);
      }
    } else {
      ArrayNode list = (ArrayNode) at;
      if (list.isEmpty() || random.nextInt(3) == 0) {
        list.add(value);
      } else if (random.nextInt(3) == 0) {
        list.remove(random.nextInt(list.size()));
      } else {
        list.set(random.nextInt(list.size()), value);
      }
    }
  }

  private static void collect(JsonNode node, List<JsonNode> containers) {
    if (node.isContainerNode()) {
      containers.add(node);
      node.forEach(child -> collect(child, containers));
    }
  }

  /** The bytes with some of them changed, cut, doubled or added to. */
  static byte[] bytes(byte[] original, Random random) {
    byte[] bytes = original.clone();
    switch (random.nextInt(5)) {
      case 0:
        return Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      case 1:
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(40));
        longer[longer.length - 1] = (byte) random.nextInt();
        return longer;
      case 2:
        int from = random.nextInt(bytes.length + 1);
        int length = random.nextInt(bytes.length - from + 1);
        Arrays.fill(bytes, from, from + length, (byte) (random.nextBoolean() ? 0 : -1));
        return bytes;
      default:
        for (int i = 1 + random.nextInt(8); i > 0 && bytes.length > 0; i--) {
          int at = random.nextInt(random.nextBoolean() ? bytes.length : Math.min(24, bytes.length));
          bytes[at] =
              (byte) (random.nextBoolean() ? random.nextInt() : bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
    }
  }
}
