package io.arraymorph.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.layout.dataset.TableDescription;
import io.arraymorph.layout.dataset.ZarrDataset;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code arraymorph info}: what an array or a group is. */
@Command(
    name = "info",
    description = "Shows what an array or a group holds.",
    mixinStandardHelpOptions = true)
final class InfoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreArguments store;

  @Parameters(paramLabel = "URI", description = "An array or a group.")
  private String uri;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    ObjectNode description = describe(ZarrNodes.open(store.open(uri)));
    spec.commandLine()
        .getOut()
        .println(json ? description.toPrettyString() : text(description, "").stripTrailing());
    return 0;
  }

  private static ObjectNode describe(ZarrNode node) {
    return node instanceof ZarrArray ? array((ZarrArray) node) : group((ZarrGroup) node);
  }

  private static ObjectNode group(ZarrGroup group) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("group", group.path().toString()).put("zarr_format", group.zarrFormat());
    node.put("consolidated", group.isConsolidated());
    for (TableDescription table : ZarrDataset.tables(group)) {
      node.withArray("tables").add(table.toString());
    }
    node.set("attributes", group.attributes());
    for (ZarrNode child : group.children()) {
      node.withArray("children").add(describe(child));
    }
    return node;
  }

  private static ObjectNode array(ZarrArray array) {
    ArraySchema schema = array.schema();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("array", array.path().toString()).put("zarr_format", array.zarrFormat());
    node.put("data_type", schema.dataType().zarrName());
    node.put("shape", schema.shape().toString());
    schema.dimensionNames().forEach(node.putArray("dimensions")::add);
    node.put("chunks", array.readChunkShape().toString());
    if (array.grid() instanceof RegularChunkGrid) {
      String stored = ((RegularChunkGrid) array.grid()).chunkShape().toString();
      if (!stored.equals(array.readChunkShape().toString())) {
        node.put("shards", stored);
      }
    }
    node.put("objects", array.grid().gridShape().elementCount());
    array.codecNames().forEach(node.putArray("codecs")::add);
    node.put("compression", array.compressionText());
    node.set("attributes", array.attributes());
    return node;
  }

  /** The description as indented lines, nodes below nodes. */
  private static String text(ObjectNode node, String indent) {
    StringBuilder text = new StringBuilder();
    node.properties()
        .forEach(
            field -> {
              if (field.getKey().equals("children")) {
                field
                    .getValue()
                    .forEach(
                        child -> text.append('\n').append(text((ObjectNode) child, indent + "  ")));
              } else if (field.getValue().isContainerNode()) {
                if (!field.getValue().isEmpty()) {
                  text.append(indent).append(field.getKey()).append(": ");
                  text.append(field.getValue()).append('\n');
                }
              } else {
                text.append(indent).append(field.getKey()).append(": ");
                text.append(field.getValue().asText()).append('\n');
              }
            });
    return text.toString();
  }
}
