package io.arraymorph.layout.codec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.charset.StandardCharsets;

/** Reads lists, texts and small integers of MessagePack; anything else is an error. */
final class MessagePack {
  private static final int MAX_DEPTH = 64;

  private final ByteSpan bytes;
  private int at;

  private MessagePack(ByteSpan bytes) {
    this.bytes = bytes;
  }

  /** The one value that the bytes are. */
  static JsonNode parse(ByteSpan bytes) {
    MessagePack reader = new MessagePack(bytes);
    JsonNode value = reader.value(0);
    if (reader.at != bytes.length()) {
      throw new CodecException("msgpack2: bytes follow the value");
    }
    return value;
  }

  private JsonNode value(int depth) {
    int tag = (int) number(1);
    if (tag <= 0x7f) {
      return JsonNodeFactory.instance.numberNode((long) tag);
    }
    if (tag >= 0x90 && tag <= 0x9f) {
      return list(tag & 0x0f, depth);
    }
    if (tag >= 0xa0 && tag <= 0xbf) {
      return text(tag & 0x1f);
    }
    switch (tag) {
      case 0xcc:
      case 0xcd:
      case 0xce:
        return JsonNodeFactory.instance.numberNode(number(1 << (tag - 0xcc)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return text(number(1 << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return list(number(tag == 0xdc ? 2 : 4), depth);
      default:
        throw new CodecException(String.format("msgpack2: tag %02x is no text, list or size", tag));
    }
  }

  /** A big-endian number of so many bytes. */
  private long number(int width) {
    if (width > bytes.length() - at) {
      throw new CodecException("msgpack2: the data are cut");
    }
    long number = 0;
    for (int i = 0; i < width; i++) {
      number = (number << 8) | (bytes.array()[bytes.offset() + at++] & 0xff);
    }
    return number;
  }

  private JsonNode text(long length) {
    int from = bytes.offset() + at;
    if (length > bytes.length() - at || !Utf8.isValid(bytes.array(), from, from + (int) length)) {
      throw new CodecException("msgpack2: a text is cut or not UTF-8");
    }
    at += (int) length;
    return JsonNodeFactory.instance.textNode(
        new String(bytes.array(), from, (int) length, StandardCharsets.UTF_8));
  }

  private JsonNode list(long size, int depth) {
    if (size > bytes.length() - at || depth > MAX_DEPTH) {
      throw new CodecException("msgpack2: a list is cut or nested too deep");
    }
    ArrayNode list = JsonNodeFactory.instance.arrayNode((int) size);
    for (long i = 0; i < size; i++) {
      list.add(value(depth + 1));
    }
    return list;
  }
}
