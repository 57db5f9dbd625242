package io.arraymorph.delta.table;

import io.arraymorph.delta.paper.Numbers;
import io.arraymorph.delta.paper.PaperRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.api.InitContext;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.io.api.RecordMaterializer;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/** Reads some columns of rows in the paper's layouts, whoever wrote them, into one record. */
@SuppressWarnings("deprecation") // What replaces Configuration is not in the Parquet of Spark 3.5.
final class PaperReadSupport extends ReadSupport<PaperRecord> {
  private final Set<String> columns;

  PaperReadSupport(Set<String> columns) {
    this.columns = columns;
  }

  @Override
  public ReadContext init(InitContext context) {
    MessageType file = context.getFileSchema();
    List<Type> fields =
        file.getFields().stream().filter(field -> columns.contains(field.getName())).toList();
    return new ReadContext(new MessageType(file.getName(), fields));
  }

  @Override
  public RecordMaterializer<PaperRecord> prepareForRead(
      Configuration configuration,
      Map<String, String> metadata,
      MessageType schema,
      ReadContext context) {
    return new Materializer(context.getRequestedSchema());
  }

  private static final class Materializer extends RecordMaterializer<PaperRecord> {
    private final PaperRecord record = new PaperRecord();
    private final Group root;

    Materializer(MessageType schema) {
      List<Converter> fields = new ArrayList<>();
      for (Type field : schema.getFields()) {
        fields.add(field.isPrimitive() ? scalar(field) : list(field, field.getName(), false));
      }
      root = new Group(fields, record::clear);
    }

    private Converter scalar(Type field) {
      String name = field.getName();
      return field.asPrimitiveType().getPrimitiveTypeName()
              == org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
          ? new PrimitiveConverter() {
            @Override
            public void addBinary(Binary value) {
              record.set(name, value.getBytes());
            }
          }
          : new Number(record.fill(name));
    }

    private Converter list(Type type, String column, boolean isInner) {
      Numbers numbers = record.fill(column);
      if (type.isPrimitive()) {
        return new Number(numbers);
      }
      GroupType group = type.asGroupType();
      boolean isList =
          group.getLogicalTypeAnnotation()
              instanceof LogicalTypeAnnotation.ListLogicalTypeAnnotation;
      List<Converter> children = new ArrayList<>();
      for (Type child : group.getFields()) {
        children.add(list(child, column, true));
      }
      return new Group(children, isList && isInner ? numbers::beginList : () -> {});
    }

    @Override
    public PaperRecord getCurrentRecord() {
      return record;
    }

    @Override
    public GroupConverter getRootConverter() {
      return root;
    }
  }

  private static final class Group extends GroupConverter {
    private final List<Converter> children;
    private final Runnable begin;

    Group(List<Converter> children, Runnable begin) {
      this.children = children;
      this.begin = begin;
    }

    @Override
    public Converter getConverter(int field) {
      return children.get(field);
    }

    @Override
    public void start() {
      begin.run();
    }

    @Override
    public void end() {}
  }

  private static final class Number extends PrimitiveConverter {
    private final Numbers numbers;

    Number(Numbers numbers) {
      this.numbers = numbers;
    }

    @Override
    public void addInt(int value) {
      numbers.add((long) value);
    }

    @Override
    public void addLong(long value) {
      numbers.add(value);
    }

    @Override
    public void addFloat(float value) {
      numbers.add((double) value);
    }

    @Override
    public void addDouble(double value) {
      numbers.add(value);
    }
  }
}
