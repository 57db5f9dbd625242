package io.arraymorph.cloud.gcs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The body of an upload in one request: metadata and content, with the checksum of the content,
 * which the service compares before the object appears.
 */
final class GcsUpload {
  private final String boundary = UUID.randomUUID().toString();
  private final List<ByteBuffer> parts;

  GcsUpload(String key, ByteBuffer content, Map<String, String> metadata) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("name", key);
    object.put("contentType", "application/octet-stream");
    object.put("crc32c", checksum(content));
    if (!metadata.isEmpty()) {
      metadata.forEach(object.putObject("metadata")::put);
    }
    String head =
        "--"
            + boundary
            + "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n"
            + object
            + "\r\n--"
            + boundary
            + "\r\nContent-Type: application/octet-stream\r\n\r\n";
    String tail = "\r\n--" + boundary + "--\r\n";
    parts = List.of(utf8(head), content, utf8(tail));
  }

  void applyTo(HttpRequest.Builder request) {
    request
        .header("Content-Type", "multipart/related; boundary=" + boundary)
        .POST(GcsClient.body(parts));
  }

  /** CRC-32C, big-endian, in Base64, as the service writes it. */
  static String checksum(ByteBuffer content) {
    CRC32C crc = new CRC32C();
    crc.update(content.duplicate());
    byte[] value = ByteBuffer.allocate(4).putInt((int) crc.getValue()).array();
    return Base64.getEncoder().encodeToString(value);
  }

  private static ByteBuffer utf8(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }
}
