package io.arraymorph.layout;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * Trees of JSON read and written token by token.
 *
 * <p>Jackson's mapper does the same, and makes Java load some four hundred classes for it first:
 * longer than opening an array takes otherwise.
 */
public final class JsonTree {
  private static final JsonFactory PLAIN = new JsonFactory();

  private JsonTree() {}

  /**
   * The one value of a text, as Jackson's mapper reads it.
   *
   * @param factory whose limits and features hold
   * @throws JsonProcessingException if it is no JSON, empty, or more than one value
   */
  public static JsonNode parse(JsonFactory factory, String text) throws JsonProcessingException {
    try (JsonParser parser = factory.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new JsonParseException(parser, "No content to read");
      }
      JsonNode value = value(parser);
      if (parser.nextToken() != null) {
        throw new JsonParseException(
            parser, "Trailing token (" + parser.currentToken() + ") after the value");
      }
      return value;
    } catch (JsonProcessingException malformed) {
      throw malformed;
    } catch (IOException e) {
      throw new UncheckedIOException("a text has no I/O", e);
    }
  }

  /** As {@link #parse(JsonFactory, String)}, with Jackson's usual limits. */
  public static JsonNode parse(String text) throws JsonProcessingException {
    return parse(PLAIN, text);
  }

  /** The value whose first token is the current one. The parser bounds the depth. */
  private static JsonNode value(JsonParser parser) throws IOException {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    switch (parser.currentToken()) {
      case START_OBJECT:
        ObjectNode object = nodes.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          parser.nextToken();
          object.set(name, value(parser));
        }
        return object;
      case START_ARRAY:
        ArrayNode array = nodes.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          array.add(value(parser));
        }
        return array;
      case VALUE_STRING:
        return nodes.textNode(parser.getText());
      case VALUE_TRUE:
        return nodes.booleanNode(true);
      case VALUE_FALSE:
        return nodes.booleanNode(false);
      case VALUE_NULL:
        return nodes.nullNode();
      case VALUE_NUMBER_INT:
        return integer(parser, nodes);
      case VALUE_NUMBER_FLOAT:
        return nodes.numberNode(parser.getDoubleValue());
      default:
        throw new JsonParseException(parser, "Unexpected token " + parser.currentToken());
    }
  }

  private static JsonNode integer(JsonParser parser, JsonNodeFactory nodes) throws IOException {
    switch (parser.getNumberType()) {
      case INT:
        return nodes.numberNode(parser.getIntValue());
      case LONG:
        return nodes.numberNode(parser.getLongValue());
      default:
        return nodes.numberNode(parser.getBigIntegerValue());
    }
  }

  /** The shortest text of a tree, as its {@code toString} gives it. */
  public static String text(JsonNode tree) {
    return text(tree, false);
  }

  /** The text of a tree in indented lines, as Jackson's default pretty printer gives it. */
  public static String lines(JsonNode tree) {
    return text(tree, true);
  }

  private static String text(JsonNode tree, boolean inLines) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = PLAIN.createGenerator(text)) {
      if (inLines) {
        generator.useDefaultPrettyPrinter();
      }
      write(tree, generator);
    } catch (IOException e) {
      throw new UncheckedIOException("a text has no I/O", e);
    }
    return text.toString();
  }

  private static void write(JsonNode node, JsonGenerator generator) throws IOException {
    switch (node.getNodeType()) {
      case OBJECT:
        generator.writeStartObject();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
          generator.writeFieldName(field.getKey());
          write(field.getValue(), generator);
        }
        generator.writeEndObject();
        return;
      case ARRAY:
        generator.writeStartArray();
        for (JsonNode element : node) {
          write(element, generator);
        }
        generator.writeEndArray();
        return;
      case STRING:
        generator.writeString(node.textValue());
        return;
      case BOOLEAN:
        generator.writeBoolean(node.booleanValue());
        return;
      case NULL:
        generator.writeNull();
        return;
      case NUMBER:
        writeNumber(node, generator);
        return;
      default:
        generator.writeRawValue(node.toString());
    }
  }

  private static void writeNumber(JsonNode node, JsonGenerator generator) throws IOException {
    switch (node.numberType()) {
      case INT:
      case LONG:
        generator.writeNumber(node.longValue());
        return;
      case FLOAT:
        generator.writeNumber(node.floatValue());
        return;
      case DOUBLE:
        generator.writeNumber(node.doubleValue());
        return;
      case BIG_INTEGER:
        generator.writeNumber(node.bigIntegerValue());
        return;
      default:
        generator.writeNumber(node.decimalValue());
    }
  }
}
