package io.arraymorph.delta.table;

import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/** The flat columns of a row group, each read on its own. */
final class RowColumns {
  private final ColumnReadStoreImpl columns;
  private final MessageType schema;

  RowColumns(PageReadStore pages, ParquetFileReader reader, MessageType schema) {
    this.schema = schema;
    this.columns =
        new ColumnReadStoreImpl(
            pages, new NoConverter(), schema, reader.getFileMetaData().getCreatedBy());
  }

  /** The part of a file's schema with the payloads, those of positions only if they are needed. */
  static MessageType payloads(MessageType file, boolean positions) {
    List<Type> fields = new ArrayList<>();
    List<String> names =
        positions ? List.of(TableColumns.IDX, TableColumns.VAL) : List.of(TableColumns.VAL);
    for (String name : names) {
      if (file.containsField(name)) {
        fields.add(file.getType(name));
      }
    }
    return new MessageType(file.getName(), fields);
  }

  /** The part of a file's schema without payloads. */
  static MessageType scalars(MessageType file) {
    List<Type> fields = new ArrayList<>();
    for (Type field : file.getFields()) {
      if (!field.getName().equals(TableColumns.IDX) && !field.getName().equals(TableColumns.VAL)) {
        fields.add(field);
      }
    }
    return new MessageType(file.getName(), fields);
  }

  /** A reader of one column, or null if the file does not have it. */
  ColumnReader reader(String name) {
    if (!schema.containsField(name)) {
      return null;
    }
    return columns.getColumnReader(schema.getColumnDescription(new String[] {name}));
  }

  /** The bytes of the next row, empty for NULL; moves on. */
  static byte[] next(ColumnReader column, boolean wanted) {
    byte[] value = {};
    if (column == null) {
      return value;
    }
    if (column.getCurrentDefinitionLevel() == max(column)) {
      if (wanted) {
        value = column.getBinary().getBytes();
      } else {
        column.skip();
      }
    }
    column.consume();
    return value;
  }

  /** The integer of the next row, {@code missing} for NULL; moves on. */
  static long nextNumber(ColumnReader column, long missing) {
    if (column == null) {
      return missing;
    }
    long value = missing;
    if (column.getCurrentDefinitionLevel() == max(column)) {
      ColumnDescriptor type = column.getDescriptor();
      switch (type.getPrimitiveType().getPrimitiveTypeName()) {
        case INT32:
          value = column.getInteger();
          break;
        case INT64:
          value = column.getLong();
          break;
        default:
          throw new IllegalStateException("column " + type + " is not an integer");
      }
    }
    column.consume();
    return value;
  }

  private static int max(ColumnReader column) {
    return column.getDescriptor().getMaxDefinitionLevel();
  }

  /** Columns are read one by one, so nothing is converted. */
  private static final class NoConverter extends GroupConverter {
    @Override
    public Converter getConverter(int field) {
      return new PrimitiveConverter() {};
    }

    @Override
    public void start() {}

    @Override
    public void end() {}
  }
}
