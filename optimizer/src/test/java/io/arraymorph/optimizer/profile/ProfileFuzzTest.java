package io.arraymorph.optimizer.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.JsonTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profile files with nonsense in every field: a coded error, or a profile with that value. */
class ProfileFuzzTest {
  private static final List<String> NASTY =
      List.of(
          "null",
          "true",
          "\"\"",
          "\" \"",
          "\"1\"",
          "\"NaN\"",
          "\"a\\nb\"",
          "[]",
          "[[]]",
          "[[1]]",
          "[[1,2,3]]",
          "[[\"1\",2]]",
          "[[0,0]]",
          "[[1,-1]]",
          "[[1,1e999]]",
          "[[1.5,1]]",
          "[[1e30,1]]",
          "[[2,1e6],[1,1e6]]",
          "[[1,1e6],[1,1e6]]",
          "[[0,1e-11],[0,1e-11]]",
          "{}",
          "{\"a\":1}",
          "0",
          "-0.0",
          "-1",
          "1",
          "1e-300",
          "1e300",
          "1e999",
          "-1e999",
          "2147483648",
          "9223372036854775808",
          "1" + "0".repeat(400),
          "0.5",
          "\"" + "x".repeat(100_000) + "\"");

  private final Path file;

  ProfileFuzzTest(@TempDir Path folder) {
    file = folder.resolve("mine.json");
  }

  /** The places of all fields, as pointers. */
  private static List<String> places(String above, JsonNode node) {
    List<String> places = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      String place = above + "/" + field.getKey();
      places.add(place);
      places.addAll(places(place, field.getValue()));
    }
    return places;
  }

  private static ObjectNode tree(String name) throws IOException {
    return (ObjectNode) JsonTree.parse(ProfileJson.write(StoreProfiles.of(name)));
  }

  private static ObjectNode parent(ObjectNode root, String place) {
    return (ObjectNode) root.at(place.substring(0, place.lastIndexOf('/')));
  }

  private static String field(String place) {
    return place.substring(place.lastIndexOf('/') + 1);
  }

  private ArrayMorphException refused(String text, String what) throws IOException {
    Files.writeString(file, text);
    ArrayMorphException[] refused = new ArrayMorphException[1];
    assertThatThrownBy(() -> StoreProfiles.of(file.toString()))
        .as(what)
        .isInstanceOfSatisfying(ArrayMorphException.class, e -> refused[0] = e);
    assertCoded(refused[0], what);
    return refused[0];
  }

  private void assertCoded(ArrayMorphException e, String what) {
    assertThat(e.code()).as(what).isEqualTo(ErrorCode.PROFILE_INVALID);
    assertThat(e.getMessage())
        .as(what)
        .contains(file.toString(), "docs/spec/profile.md")
        .hasSizeLessThan(1200);
  }

  /** The value at that place of the profile that was made; absent is null. */
  private static JsonNode written(StoreProfile profile, String place) throws IOException {
    return JsonTree.parse(ProfileJson.write(profile)).at(place);
  }

  private static boolean same(JsonNode a, JsonNode b) {
    if (a.isNumber() && b.isNumber()) {
      return a.doubleValue() == b.doubleValue();
    }
    if (a instanceof ArrayNode && b instanceof ArrayNode && a.size() == b.size()) {
      for (int i = 0; i < a.size(); i++) {
        if (!same(a.get(i), b.get(i))) {
          return false;
        }
      }
      return true;
    }
    return a.equals(b);
  }

  @Test
  void nonsenseInAnyFieldIsRefusedByNameOrKept() throws IOException {
    int kept = 0;
    for (String name : List.of("s3.wan", "azure-dfs.in-region", "paper.gcs", "local")) {
      for (String place : places("", tree(name))) {
        for (String nasty : NASTY) {
          ObjectNode root = tree(name);
          // Not through a tree: 1e999 is no number of one.
          parent(root, place).put(field(place), "@@");
          String text = root.toString().replace("\"@@\"", nasty);
          String what = name + place + " = " + nasty.substring(0, Math.min(40, nasty.length()));
          Files.writeString(file, text);
          try {
            StoreProfile made = StoreProfiles.of(file.toString());
            JsonNode found = written(made, place);
            boolean absent = found.isMissingNode() || found.isNull();
            assertThat(
                    absent ? nasty.matches("null|-?0(\\.0)?") : same(found, JsonTree.parse(nasty)))
                .as(what + " became " + found)
                .isTrue();
            kept++;
          } catch (ArrayMorphException e) {
            assertCoded(e, what);
            assertThat(e.getMessage()).as(what).contains(field(place));
          }
        }
      }
    }
    // Some values make sense in some fields.
    assertThat(kept).isGreaterThan(100);
  }

  @Test
  void missingFieldsAndThoseNobodyKnowsAreRefusedByName() throws IOException {
    for (String place : places("", tree("s3.wan"))) {
      ObjectNode root = tree("s3.wan");
      parent(root, place).remove(field(place));
      if (place.equals("/function")) {
        Files.writeString(file, root.toString());
        assertThat(StoreProfiles.of(file.toString()).function()).isEmpty();
      } else {
        assertThat(refused(root.toString(), place)).hasMessageContaining(field(place));
      }
      ObjectNode more = tree("s3.wan");
      parent(more, place).put(field(place) + "s", 1);
      assertThat(refused(more.toString(), place)).hasMessageContaining(field(place) + "s");
      String twice = "\"" + field(place) + "\"";
      String text = tree("s3.wan").toString();
      refused(text.replaceFirst(twice, twice + ":1," + twice), place + " twice");
    }
  }

  @Test
  void numbersInOtherUnitsAreRefused() throws IOException {
    Map<String, String> others =
        Map.ofEntries(
            Map.entry("/transport/latencySeconds", "28"),
            Map.entry("/transport/connectionBytesPerSecond", "90"),
            Map.entry("/transport/bandwidth", "[[1,0.09],[8,1.2]]"),
            Map.entry("/prices/dollarsPerRequest", "0.4"),
            Map.entry("/prices/dollarsPerRetrievedByte", "0.01"),
            Map.entry("/prices/egress", "[[0,0.09]]"),
            Map.entry("/function/overheadSeconds", "10"),
            Map.entry("/function/alphaSecondsPerByte", "15"),
            Map.entry("/function/betaSeconds", "180"),
            Map.entry("/function/memoryGigabytes", "1024"),
            Map.entry("/function/dollarsPerCall", "0.2"),
            Map.entry("/function/dollarsPerSlowByte", "0.008"));
    for (Map.Entry<String, String> other : others.entrySet()) {
      ObjectNode root = tree("s3.wan");
      parent(root, other.getKey()).set(field(other.getKey()), JsonTree.parse(other.getValue()));
      root.withObject("/transport").put("tailLatencySeconds", 50);
      assertThat(refused(root.toString(), other.toString()))
          .hasMessageContainingAll(field(other.getKey()), "no store has");
    }
  }

  @Test
  void filesThatAreNoTextOrNoTreeAreRefused() throws IOException {
    String good = tree("s3.wan").toString();
    refused("", "empty");
    refused("\uFEFF" + good, "a byte order mark");
    refused(good + good, "twice");
    refused("[".repeat(100_000), "deep");
    refused("{\"a\":".repeat(100_000), "deep objects");
    refused(good.replace("0.08", "NaN"), "NaN");
    refused(good.replace("0.08", "Infinity"), "Infinity");
    Files.write(file, good.getBytes(StandardCharsets.UTF_16));
    assertThatThrownBy(() -> StoreProfiles.of(file.toString()))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContainingAll("ARRAYMORPH_PROFILE_INVALID", file.toString(), "UTF-8");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength(100_000_000);
    }
    assertThatThrownBy(() -> StoreProfiles.of(file.toString()))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContainingAll("ARRAYMORPH_PROFILE_INVALID", file.toString(), "larger than");
  }

  @Test
  void randomDamageIsACodedErrorOrAProfile() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
      String name = StoreProfiles.NAMES.get(random.nextInt(StoreProfiles.NAMES.size()));
      byte[] bytes = tree(name).toString().getBytes(StandardCharsets.UTF_8);
      for (int k = random.nextInt(3); k >= 0; k--) {
        int at = random.nextInt(bytes.length);
        bytes[at] = (byte) (random.nextBoolean() ? bytes[at] ^ (1 << random.nextInt(8)) : '9');
      }
      Files.write(file, bytes);
      try {
        StoreProfile made = StoreProfiles.of(file.toString());
        assertThat(ProfileJson.parse(ProfileJson.write(made), "again")).isEqualTo(made);
      } catch (ArrayMorphException e) {
        assertCoded(e, "seed " + seed);
        refused++;
      }
    }
    assertThat(refused).as("seed " + seed).isBetween(500, 2999);
  }
}
