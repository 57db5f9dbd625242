package io.arraymorph.lambda;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.slice.SliceProtocol;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each field of docs/spec/subset.md as a caller may get it wrong, over HTTP. */
class RequestFieldsTest {
  private static final String CHUNK =
      "'zarr_format':3,'node_type':'array','shape':[%1$s],'chunk_grid':{'name':'regular',"
          + "'configuration':{'chunk_shape':[%1$s]}},'chunk_key_encoding':{'name':'default'},";
  private static final String BYTES = "{'name':'bytes','configuration':{'endian':'little'}}";

  /** 64 int32 of one chunk. */
  private static final String RAW =
      "{" + CHUNK.formatted("8,8") + "'data_type':'int32','fill_value':0,'codecs':[" + BYTES + "]}";

  private static final String TEXTS =
      "{"
          + CHUNK.formatted("8")
          + "'data_type':'string','fill_value':'','codecs':[{'name':'vlen-utf8'}]}";

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir static Path folder;
  private static SliceServer server;

  @BeforeAll
  static void start() throws IOException {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    Files.write(folder.resolve("raw"), bytes);
    server = LoopbackServers.start("file://" + folder, SliceLimits.DEFAULT);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(server.uri().toString().replace("/slice", path)))
        .timeout(Duration.ofSeconds(20));
  }

  private static HttpResponse<byte[]> send(HttpRequest request)
      throws IOException, InterruptedException {
    return HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  private static HttpResponse<byte[]> post(String body) throws Exception {
    return send(
        request("/slice")
            .header("Authorization", "Bearer " + LoopbackServers.TOKEN)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  private static String code(HttpResponse<byte[]> answer) {
    return answer.headers().firstValue(SliceProtocol.CODE_HEADER).orElse("none");
  }

  /** Single quotes stand for double ones, words in capitals for what is long. */
  private static String json(String text) {
    return text.replace("RAW", RAW.replace("'", "\\'"))
        .replace("TEXTS", TEXTS.replace("'", "\\'"))
        .replace("'", "\"")
        .replace("OBJECT", "file://" + folder + "/raw")
        .replace("FOLDER", folder.toString());
  }

  private static void assertAnswered(String body, int status, String code, String text)
      throws Exception {
    HttpResponse<byte[]> answer = post(json(body));
    String said = new String(answer.body(), UTF_8);
    assertThat(answer.statusCode()).as("%s: %s", body, said).isEqualTo(status);
    assertThat(code(answer)).as(body).isEqualTo(code);
    if (status != 200) {
      assertThat(said).as(body).contains(text == null ? "" : text).hasSizeLessThanOrEqualTo(500);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // object
        "'runs':[[0,1]] | 400 | INVALID_REQUEST | object is not a text",
        "'object':'','runs':[[0,1]] | 400 | INVALID_REQUEST | object is not a text",
        "'object':7,'runs':[[0,1]] | 400 | INVALID_REQUEST | object is not a text",
        "'object':null,'runs':[[0,1]] | 400 | INVALID_REQUEST | object is not a text",
        "'object':['OBJECT'],'runs':[[0,1]] | 400 | INVALID_REQUEST | object is not a text",
        "'object':'OBJECT','object':'OBJECT','runs':[[0,1]] | 400 | INVALID_REQUEST | Duplicate",
        "'object':'raw','runs':[[0,1]] | 403 | NOT_ALLOWED | raw",
        "'object':'FOLDER/raw','runs':[[0,1]] | 403 | NOT_ALLOWED |",
        "'object':'file://FOLDERS/raw','runs':[[0,1]] | 403 | NOT_ALLOWED |",
        "'object':'file://FOLDER/../raw','runs':[[0,1]] | 403 | NOT_ALLOWED |",
        "'object':'s3://b/raw','runs':[[0,1]] | 403 | NOT_ALLOWED |",
        "'object':'OBJECTS','runs':[[0,1]] | 404 | NOT_FOUND |",
        "'object':'OBJECT','runs':[[0,1]] | 200 | none |",
        // read_url
        "'object':'x','read_url':'http://a.b/c','runs':[[0,1]] | 403 | NOT_ALLOWED |",
        "'object':'x','read_url':'OBJECT','runs':[[0,1]] | 403 | NOT_ALLOWED |",
        "'object':'x','read_url':'a b','runs':[[0,1]] | 400 | INVALID_REQUEST | read_url",
        "'object':'x','read_url':'','runs':[[0,1]] | 400 | INVALID_REQUEST | read_url",
        "'object':'x','read_url':{},'runs':[[0,1]] | 400 | INVALID_REQUEST | read_url",
        "'object':'OBJECT','read_url':null,'runs':[[0,1]] | 200 | none |",
        // etag
        "'object':'OBJECT','etag':'x','runs':[[0,1]] | 412 | PRECONDITION_FAILED |",
        "'object':'OBJECT','etag':'','runs':[[0,1]] | 400 | INVALID_REQUEST | etag is not a text",
        "'object':'OBJECT','etag':1,'runs':[[0,1]] | 400 | INVALID_REQUEST | etag is not a text",
        "'object':'OBJECT','etag':null,'runs':[[0,1]] | 200 | none |",
        // runs
        "'object':'OBJECT' | 400 | INVALID_REQUEST | either boxes or runs",
        "'object':'OBJECT','runs':[[0,1]],'boxes':[] | 400 | INVALID_REQUEST | either boxes or runs",
        "'object':'OBJECT','runs':null | 400 | INVALID_REQUEST | runs is not a list",
        "'object':'OBJECT','runs':{} | 400 | INVALID_REQUEST | runs is not a list",
        "'object':'OBJECT','runs':[] | 400 | INVALID_REQUEST | 0 runs, 1 to 65536 may be",
        "'object':'OBJECT','runs':[5] | 400 | INVALID_REQUEST | not a list of integers",
        "'object':'OBJECT','runs':[['0',1]] | 400 | INVALID_REQUEST | not a list of integers",
        "'object':'OBJECT','runs':[[0,1.0]] | 400 | INVALID_REQUEST | not a list of integers",
        "'object':'OBJECT','runs':[[0,9223372036854775808]] | 400 | INVALID_REQUEST | integers",
        "'object':'OBJECT','runs':[[0]] | 400 | INVALID_REQUEST | is not [start, length",
        "'object':'OBJECT','runs':[[0,1,2]] | 400 | INVALID_REQUEST | is not [start, length",
        "'object':'OBJECT','runs':[[0,0]] | 400 | INVALID_REQUEST | runs 0 bytes",
        "'object':'OBJECT','runs':[[-1,1]] | 400 | INVALID_REQUEST | from -1",
        "'object':'OBJECT','runs':[[0,1,0,4]] | 400 | INVALID_REQUEST | [0] times",
        "'object':'OBJECT','runs':[[0,1,2,0]] | 400 | INVALID_REQUEST | every [0]",
        "'object':'OBJECT','runs':[[4611686018427387904,1]] | 400 | INVALID_REQUEST | runs",
        "'object':'OBJECT','runs':[[0,1,4611686018427387904,4]] | 400 | INVALID_REQUEST | runs",
        "'object':'OBJECT','runs':[[255,1]] | 200 | none |",
        "'object':'OBJECT','runs':[[255,2]] | 422 | CHUNK_CORRUPT |",
        "'object':'OBJECT','runs':[[256,1]] | 422 | RANGE_NOT_SATISFIABLE |",
        "'object':'OBJECT','runs':[[0,67108865]] | 422 | TOO_LARGE | the answer",
        "'object':'OBJECT','runs':[[0,1]],'more':1 | 400 | INVALID_REQUEST | unknown field 'more'",
        "'object':'OBJECT','runs':[[0,1]]} {} | 400 | INVALID_REQUEST | not JSON",
        // boxes
        "BOXES[[[0,8,1],[7,8,1]]] | 200 | none |",
        "BOXES[] | 400 | INVALID_REQUEST | 0 boxes, 1 to 65536 may be",
        "BOXESnull | 400 | INVALID_REQUEST | boxes is not a list",
        "BOXES[7] | 400 | INVALID_REQUEST | is not within",
        "BOXES[[]] | 400 | INVALID_REQUEST | is not within",
        "BOXES[[[0,8,1]]] | 400 | INVALID_REQUEST | is not within",
        "BOXES[[[0,8,1],[7,9,1]]] | 400 | INVALID_REQUEST | is not within",
        "BOXES[[[0,8,1],[7,7,1]]] | 400 | INVALID_REQUEST | is not within",
        "BOXES[[[0,8,1],[-1,7,1]]] | 400 | INVALID_REQUEST |",
        "BOXES[[[0,8,1],[0,7,0]]] | 400 | INVALID_REQUEST |",
        "BOXES[[[0,8],[0,7]]] | 400 | INVALID_REQUEST | is not [start, stop, stride]",
        "BOXES[[[0,8,'1'],[0,7,1]]] | 400 | INVALID_REQUEST | not a list of integers",
        // metadata, chunk_shape
        "'object':'OBJECT','boxes':[[[0,1,1]]] | 400 | INVALID_REQUEST | chunk_shape",
        "'object':'OBJECT','chunk_shape':[8],'boxes':[[[0,1,1]]] | 400 | INVALID_REQUEST | metadata",
        "'object':'OBJECT','metadata':{},'chunk_shape':[8],'boxes':[[[0,1,1]]]"
            + " | 400 | INVALID_REQUEST | metadata is not a text",
        "'object':'OBJECT','metadata':'RAW','chunk_shape':8,'boxes':[[[0,1,1]]]"
            + " | 400 | INVALID_REQUEST | chunk_shape is not a list",
        "'object':'OBJECT','metadata':'RAW','chunk_shape':[-8,8],'boxes':[[[0,1,1],[0,1,1]]]"
            + " | 400 | INVALID_REQUEST |",
        "'object':'OBJECT','metadata':'RAW','chunk_shape':[8],'boxes':[[[0,1,1]]] | 4.. | |",
        "'object':'OBJECT','metadata':'RAW','chunk_shape':[8,9],'boxes':[[[0,1,1],[0,1,1]]]"
            + " | 422 | CHUNK_CORRUPT | 288",
        "'object':'OBJECT','metadata':'{}','chunk_shape':[8],'boxes':[[[0,1,1]]] | 422 | |",
        "'object':'OBJECT','metadata':'TEXTS','chunk_shape':[8],'boxes':[[[0,1,1]]]"
            + " | 422 | UNSUPPORTED_TYPE | no fixed width",
      })
  void fieldsOfOneSlice(String fields, String status, String code, String text) throws Exception {
    String one =
        fields.replace("BOXES", "'object':'OBJECT','metadata':'RAW','chunk_shape':[8,8],'boxes':");
    if (status.contains(".") || code == null) {
      HttpResponse<byte[]> answer = post(json("{'arraymorph_slice':1," + one + "}"));
      assertThat(answer.statusCode()).as(fields).isBetween(400, 422);
      assertThat(code(answer)).as(fields).isNotIn("none", "INTERNAL");
      return;
    }
    int expected = Integer.parseInt(status);
    assertAnswered("{'arraymorph_slice':1," + one + "}", expected, code, text);
    if (!fields.contains("} {}") && expected != 404) {
      // The same among several, where only an absent object is an answer.
      String good = "{'object':'OBJECT','runs':[[1,2]]}";
      assertAnswered(
          "{'arraymorph_slice':2,'slices':[" + good + ",{" + one + "}]}", expected, code, text);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | arraymorph_slice is",
        "[] | not a JSON object",
        "7 | not a JSON object",
        "`` | not a JSON object",
        "{'arraymorph_slice':2} | slices is not a list",
        "{'arraymorph_slice':2,'slices':null} | slices is not a list",
        "{'arraymorph_slice':2,'slices':[]} | 0 slices",
        "{'arraymorph_slice':2,'slices':[[]]} | a slice is not a JSON object",
        "{'arraymorph_slice':2,'slices':[SLICE],'slices':[SLICE]} | Duplicate",
        "{'arraymorph_slice':2,'slices':[SLICE],'etag':'x'} | unknown field 'etag'",
        "{'arraymorph_slice':2,'slices':[{'arraymorph_slice':1,'object':'x','runs':[[0,1]]}]}"
            + " | unknown field 'arraymorph_slice'",
        "{'arraymorph_slice':1,'slices':[SLICE]} | unknown field 'slices'",
        "{'arraymorph_slice':1,'arraymorph_slice':1,'object':'x','runs':[[0,1]]} | Duplicate",
      })
  void requestsAsAWhole(String body, String text) throws Exception {
    String slice = "{'object':'OBJECT','runs':[[0,1]]}";
    assertAnswered(body.replace("SLICE", slice), 400, "INVALID_REQUEST", text);
  }

  @Test
  void metadataAndShapeAreSharedEachForItself() throws Exception {
    String box = "'boxes':[[[1,2,1],[0,1,1]]]";
    String shared = "'metadata':'RAW','chunk_shape':[8,8],";
    String own = "{'object':'OBJECT','chunk_shape':[4,16]," + box + "}";
    String of = "{'arraymorph_slice':2," + shared + "'slices':[{'object':'OBJECT'," + box + "},";
    HttpResponse<byte[]> answer = post(json(of + own + "]}"));
    // The second row of eight elements, and of sixteen.
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).containsExactly(32, 33, 34, 35, 64, 65, 66, 67);
    assertAnswered(
        of.replace(shared, "'metadata':'RAW',") + own + "]}", 400, "INVALID_REQUEST", "");
    assertAnswered(
        of + own.replace("[4,16]", "null") + "]}", 400, "INVALID_REQUEST", "chunk_shape");
  }

  @Test
  void asManyPartsAsAreAllowed() throws Exception {
    String head = "{'arraymorph_slice':1,'object':'OBJECT','runs':[";
    String most = String.join(",", Collections.nCopies(65_536, "[9,1]"));
    HttpResponse<byte[]> answer = post(json(head + most + "]}"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).hasSize(65_536).containsOnly(9);
    assertAnswered(head + most + ",[9,1]]}", 400, "INVALID_REQUEST", "at most 65536");
    String boxes =
        "{'arraymorph_slice':1,'object':'OBJECT','metadata':'RAW','chunk_shape':[8,8],'boxes':[";
    String one = "[[1,2,1],[1,2,1]]";
    String full = String.join(",", Collections.nCopies(65_536, one));
    assertThat(post(json(boxes + full + "]}")).body()).hasSize(4 * 65_536);
    assertAnswered(boxes + full + "," + one + "]}", 400, "INVALID_REQUEST", "at most 65536");
    String slice = "{'object':'OBJECT','runs':[[3,1]]}";
    String slices = String.join(",", Collections.nCopies(64, slice));
    assertThat(post(json("{'arraymorph_slice':2,'slices':[" + slices + "]}")).body()).hasSize(64);
    assertAnswered(
        "{'arraymorph_slice':2,'slices':[" + slices + "," + slice + "]}",
        400,
        "INVALID_REQUEST",
        "at most 64");
    String level = ",1,1".repeat(31);
    assertAnswered(head + "[3,1" + level + "]]}", 200, "none", "");
    assertAnswered(head + "[3,1" + level + ",1,1]]}", 400, "INVALID_REQUEST", "list of integers");
  }

  @Test
  void aRequestHasFourMebibytesAtMost() throws Exception {
    String body = json("{'arraymorph_slice':1,'object':'OBJECT','runs':[[3,1]]}");
    String longest = body + " ".repeat((4 << 20) - body.length());
    assertThat(post(longest).body()).containsExactly(3);
    for (boolean lengthIsStated : new boolean[] {true, false}) {
      byte[] bytes = (longest + " ").getBytes(UTF_8);
      HttpRequest.BodyPublisher publisher =
          lengthIsStated
              ? HttpRequest.BodyPublishers.ofByteArray(bytes)
              : HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes));
      HttpResponse<byte[]> answer =
          send(
              request("/slice")
                  .header("Authorization", "Bearer " + LoopbackServers.TOKEN)
                  .POST(publisher)
                  .build());
      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(code(answer)).isEqualTo("TOO_LARGE");
    }
  }

  @Test
  void boxesTouchSoManyInnerChunksAtMost() throws Exception {
    String inner =
        "{'name':'sharding_indexed','configuration':{'chunk_shape':[1,1],'codecs':["
            + BYTES
            + "],'index_codecs':["
            + BYTES
            + "]}}";
    String metadata =
        "{" + CHUNK.formatted("513,512") + "'data_type':'int32','fill_value':0,'codecs':[" + inner;
    String head =
        "{'arraymorph_slice':1,'object':'OBJECT','metadata':'"
            + (metadata + "]}").replace("'", "\\'")
            + "','chunk_shape':[513,512],'boxes':[";
    // As many as may be: only then it is seen that this is no shard.
    assertAnswered(head + "[[0,512,1],[0,512,1]]]}", 422, "CHUNK_CORRUPT", "its index alone needs");
    assertAnswered(head + "[[0,513,1],[0,512,1]]]}", 422, "TOO_LARGE", "262144 inner chunks");
    assertAnswered(
        head + "[[0,512,1],[0,512,1]],[[0,1,1],[0,1,1]]]}", 422, "TOO_LARGE", "inner chunks");
  }

  @Test
  void whoCallsAndHowIsChecked() throws Exception {
    String body = json("{'arraymorph_slice':1,'object':'OBJECT','runs':[[3,1]]}");
    HttpRequest.BodyPublisher publisher = HttpRequest.BodyPublishers.ofString(body);
    assertThat(send(request("/slice").POST(publisher).build()).statusCode()).isEqualTo(401);
    for (String header : new String[] {"Bearer", "Bearer x", "Basic c2VjcmV0", "bearer secret"}) {
      HttpResponse<byte[]> answer =
          send(request("/slice").header("Authorization", header).POST(publisher).build());
      assertThat(answer.statusCode()).as(header).isEqualTo(401);
      assertThat(code(answer)).isEqualTo("UNAUTHORIZED");
    }
    String right = "Bearer " + LoopbackServers.TOKEN;
    for (String path : new String[] {"/slice/", "/slices"}) {
      HttpResponse<byte[]> answer =
          send(request(path).header("Authorization", right).POST(publisher).build());
      assertThat(answer.statusCode()).as(path).isEqualTo(404);
      assertThat(code(answer)).isEqualTo("NOT_A_SLICE");
    }
    HttpResponse<byte[]> get = send(request("/slice").header("Authorization", right).GET().build());
    assertThat(get.statusCode()).isEqualTo(404);
    HttpResponse<byte[]> answer =
        send(request("/slice").header("Authorization", right).POST(publisher).build());
    CRC32C crc = new CRC32C();
    crc.update(body.getBytes(UTF_8));
    assertThat(answer.headers().firstValue("X-ArrayMorph-Request-Crc32c"))
        .contains(Long.toHexString(crc.getValue()));
  }
}
