package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.spark.read.SparkTypes;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The columns of a read of one tensor, or of several.
 *
 * <p>Of one: its dimensions as BIGINT, then its value. Of several: {@code tensor} with the id, then
 * the dimensions of all, then the values of all, each name once; a column that a tensor does not
 * have is NULL in its rows. Immutable.
 */
final class TensorColumns {
  /** The column with the id of the tensor, in reads that do not name one. */
  static final String TENSOR = "tensor";

  private final List<TensorHeader> headers;
  private final boolean named;
  private final Set<String> dimensions = new LinkedHashSet<>();
  private final Map<String, DataType> values = new LinkedHashMap<>();

  private TensorColumns(List<TensorHeader> headers, boolean named) {
    this.headers = List.copyOf(headers);
    this.named = named;
    for (TensorHeader header : headers) {
      dimensions.addAll(header.schema().dimensionNames());
      DataType type = SparkTypes.of(CfDecoding.raw(header.schema().dataType()).type());
      DataType before = values.putIfAbsent(valueColumn(header), type);
      if (before != null && !before.equals(type)) {
        throw clash(header, "is " + type.catalogString() + " and " + before.catalogString());
      }
    }
    if (!named) {
      for (TensorHeader header : headers) {
        String value = valueColumn(header);
        if (dimensions.contains(value)) {
          throw clash(header, "is a dimension and a value");
        }
        if (value.equals(TENSOR) || dimensions.contains(TENSOR)) {
          throw new ArrayMorphException(
              ErrorCode.INVALID_OPTION,
              "a column of tensor '" + header.tensorId() + "' is called " + TENSOR,
              "Name one tensor: option(\"tensor\", \"" + header.tensorId() + "\")");
        }
      }
    }
  }

  private static ArrayMorphException clash(TensorHeader header, String what) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        "column " + valueColumn(header) + " of the table's tensors " + what,
        "Name one tensor: option(\"tensor\", \"" + header.tensorId() + "\")");
  }

  /** The columns of a tensor that was named. */
  static TensorColumns ofOne(TensorHeader header) {
    return new TensorColumns(List.of(header), true);
  }

  /**
   * The columns of all tensors of a table.
   *
   * @throws ArrayMorphException INVALID_OPTION if one name means two things
   */
  static TensorColumns ofAll(List<TensorHeader> headers) {
    return new TensorColumns(headers, false);
  }

  TensorHeader header(int tensor) {
    return headers.get(tensor);
  }

  /** The number of tensors. */
  int tensors() {
    return headers.size();
  }

  /** The names of all dimensions in the order of their columns. */
  List<String> orderedDimensions() {
    return List.copyOf(dimensions);
  }

  /** True if every tensor has a dimension. */
  boolean isOfAll(String dimension) {
    return headers.stream().allMatch(h -> h.schema().dimensionNames().contains(dimension));
  }

  /** True if every tensor is stored in blocks of a grid. */
  boolean isAllInBlocks() {
    return headers.stream().allMatch(h -> h.layout().encoding().usesBlocks());
  }

  /** The names of all dimensions. */
  Set<String> dimensions() {
    return Set.copyOf(dimensions);
  }

  /** The name of a tensor's value column. */
  static String valueColumn(TensorHeader header) {
    return header.attributes().getOrDefault(TensorSave.COLUMN_ATTRIBUTE, "value");
  }

  /** True if a column holds the id of the tensor. */
  boolean isTensorColumn(String name) {
    return !named && name.equals(TENSOR);
  }

  /** True if there are metadata columns: no other column has the name of one. */
  boolean hasMetadata() {
    return dimensions.stream().noneMatch(TensorMetadata::isMetadata)
        && values.keySet().stream().noneMatch(TensorMetadata::isMetadata);
  }

  /** True if a column is one of other tensors, NULL in the rows of this one. */
  boolean isForeign(int tensor, String name) {
    TensorHeader header = headers.get(tensor);
    return !isTensorColumn(name)
        && !header.schema().dimensionNames().contains(name)
        && !valueColumn(header).equals(name);
  }

  /** The columns of rows that are cells, or tensors. */
  StructType schema(boolean cells) {
    StructType schema = new StructType();
    if (!named) {
      schema = schema.add(TENSOR, DataTypes.StringType, false);
    }
    for (String dimension : dimensions) {
      schema = schema.add(dimension, DataTypes.LongType, !isOfAll(dimension));
    }
    for (Map.Entry<String, DataType> value : values.entrySet()) {
      if (cells) {
        schema = schema.add(value.getKey(), value.getValue(), true);
      } else {
        StructType struct =
            new StructType()
                .add("data", DataTypes.createArrayType(value.getValue(), true), false)
                .add("shape", DataTypes.createArrayType(DataTypes.IntegerType, false), false);
        schema = schema.add(value.getKey(), struct, values.size() > 1);
      }
    }
    return schema;
  }
}
