package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StorePath;
import java.util.Optional;
import java.util.Set;

/** Group metadata of Zarr v3 ({@code zarr.json} with node type {@code group}). */
final class GroupMetadataV3 {
  private static final Set<String> MEMBERS =
      Set.of("zarr_format", "node_type", "attributes", "consolidated_metadata");

  private GroupMetadataV3() {}

  /** Checks the document and returns its attributes. */
  static ObjectNode attributes(MetadataReader reader) {
    ArrayMetadataV3.checkFormat(reader, "group");
    reader.refuseUnknown(MEMBERS);
    return reader.objectOrEmpty("attributes");
  }

  /** The metadata of the nodes below, if the document has them. */
  static Optional<ConsolidatedMetadata> consolidated(StorePath path, MetadataReader reader) {
    Optional<JsonNode> member = reader.optional("consolidated_metadata");
    if (member.isEmpty()) {
      return Optional.empty();
    }
    if (!(member.get() instanceof ObjectNode)) {
      throw reader.invalid(
          "consolidated_metadata is no object: " + MetadataReader.shown(member.get()));
    }
    MetadataReader inner =
        new MetadataReader(reader.where() + " consolidated_metadata", (ObjectNode) member.get());
    String kind = inner.requiredText("kind");
    if (!kind.equals("inline")) {
      if (!inner.booleanOr("must_understand", true)) {
        return Optional.empty();
      }
      throw inner.unsupported(ErrorCode.UNSUPPORTED_FEATURE, "kind '" + kind + "' is not known");
    }
    JsonNode metadata = inner.required("metadata");
    if (!(metadata instanceof ObjectNode)) {
      throw inner.invalid("'metadata' is no object");
    }
    return Optional.of(ConsolidatedMetadata.ofV3(path, (ObjectNode) metadata));
  }
}
