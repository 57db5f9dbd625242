package io.arraymorph.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTreeTest {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private final StringBuilder text = new StringBuilder();

  private void value(Random random, int depth) {
    switch (random.nextInt(depth > 4 ? 6 : 9)) {
      case 0 -> text.append(random.nextInt());
      case 1 -> text.append(random.nextLong());
      case 2 -> text.append(random.nextLong()).append("0000000000000");
      case 3 -> text.append(random.nextDouble() * Math.pow(10, random.nextInt(600) - 300));
      case 4 ->
          text.append(
              new String[] {"true", "false", "null", "-0", "-0.0", "1e5"}[random.nextInt(6)]);
      case 5 -> string(random);
      case 6, 7 -> {
        text.append('{');
        for (int i = random.nextInt(4); i > 0; i--) {
          string(random);
          text.append(" : ");
          value(random, depth + 1);
          text.append(i > 1 ? "," : "");
        }
        text.append('}');
      }
      default -> {
        text.append('[');
        for (int i = random.nextInt(4); i > 0; i--) {
          value(random, depth + 1);
          text.append(i > 1 ? "\n," : "");
        }
        text.append(']');
      }
    }
  }

  private void string(Random random) {
    text.append('"');
    for (int i = random.nextInt(5); i > 0; i--) {
      text.append(new String[] {"a", "é", "\\n", "\\\"", "\\u0001", "𝄞", "/"}[random.nextInt(7)]);
    }
    text.append('"');
  }

  @Test
  void treesAndTextsAreThoseOfTheMapper() throws JsonProcessingException {
    long seed = 20261121;
    Random random = new Random(seed);
    for (int i = 0; i < 3000; i++) {
      text.setLength(0);
      value(random, 0);
      JsonNode expected = MAPPER.readTree(text.toString());
      JsonNode found = JsonTree.parse(text.toString());
      assertThat(found).as("seed %d: %s", seed, text).isEqualTo(expected);
      assertThat(JsonTree.text(found)).as("seed %d", seed).isEqualTo(expected.toString());
      assertThat(JsonTree.lines(found))
          .as("seed %d", seed)
          .isEqualTo(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(expected));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[1",
        "1 2",
        "{} []",
        "{\"a\"}",
        "{\"a\":}",
        "[,]",
        "nul",
        "NaN",
        "'a'",
        "]",
        "{\"a\":1,}"
      })
  void whatIsNoValueIsRefused(String text) {
    assertThatThrownBy(() -> JsonTree.parse(text)).isInstanceOf(JsonProcessingException.class);
  }

  @Test
  void depthIsBounded() {
    assertThatThrownBy(() -> JsonTree.parse("[".repeat(100_000)))
        .isInstanceOf(JsonProcessingException.class);
  }
}
