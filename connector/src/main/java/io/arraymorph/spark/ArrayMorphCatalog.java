package io.arraymorph.spark;

import io.arraymorph.spark.catalog.NodeCatalog;
import io.arraymorph.spark.procedure.Arguments;
import io.arraymorph.spark.procedure.SystemProcedure;
import io.arraymorph.spark.procedure.SystemProcedures;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.ProcedureCatalog;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The catalog of arrays: {@code spark.sql.catalog.am=io.arraymorph.spark.ArrayMorphCatalog}, {@code
 * spark.sql.catalog.am.warehouse=s3a://bucket/dir}.
 *
 * <p>Needs Spark 4.0, where procedures began; {@link ArrayMorphBaseCatalog} is the same without
 * CALL. Only this class links to procedures, so that the jar loads on Spark 3.5.
 */
public final class ArrayMorphCatalog extends NodeCatalog implements ProcedureCatalog {

  @Override
  public UnboundProcedure loadProcedure(Identifier identifier) {
    boolean ours =
        identifier.namespace().length == 1
            && identifier.namespace()[0].equalsIgnoreCase(SystemProcedures.NAMESPACE);
    if (ours) {
      return SystemProcedures.find(identifier.name()).map(Unbound::new).orElseThrow(this::unknown);
    }
    throw unknown();
  }

  private io.arraymorph.ArrayMorphException unknown() {
    List<String> names = SystemProcedures.all().stream().map(SystemProcedure::name).toList();
    return new io.arraymorph.ArrayMorphException(
        io.arraymorph.ErrorCode.INVALID_IDENTIFIER,
        "catalog " + name() + " has no such procedure",
        "Call one of " + names + ", as CALL " + name() + ".system.describe('s3a://b/x.zarr')");
  }

  /** Abstract in Spark from 4.1 on, and not there in 4.0. */
  public Identifier[] listProcedures(String[] namespace) {
    boolean listed =
        namespace.length == 0
            || (namespace.length == 1 && namespace[0].equalsIgnoreCase(SystemProcedures.NAMESPACE));
    return listed
        ? SystemProcedures.all().stream()
            .map(p -> Identifier.of(new String[] {SystemProcedures.NAMESPACE}, p.name()))
            .toArray(Identifier[]::new)
        : new Identifier[0];
  }

  private final class Unbound implements UnboundProcedure {
    private final SystemProcedure procedure;

    Unbound(SystemProcedure procedure) {
      this.procedure = procedure;
    }

    @Override
    public String name() {
      return procedure.name();
    }

    @Override
    public String description() {
      return procedure.description();
    }

    @Override
    public BoundProcedure bind(StructType inputType) {
      return new Bound(procedure);
    }
  }

  private final class Bound implements BoundProcedure {
    private final SystemProcedure procedure;

    Bound(SystemProcedure procedure) {
      this.procedure = procedure;
    }

    @Override
    public String name() {
      return procedure.name();
    }

    @Override
    public String description() {
      return procedure.description();
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }

    @Override
    public ProcedureParameter[] parameters() {
      return procedure.parameters().stream()
          .map(
              parameter -> {
                ProcedureParameter.Builder builder =
                    ProcedureParameter.in(parameter.name(), parameter.type())
                        .comment(parameter.comment());
                parameter.otherwise().ifPresent(builder::defaultValue);
                return builder.build();
              })
          .toArray(ProcedureParameter[]::new);
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
      Map<String, Object> values = new HashMap<>();
      List<SystemProcedure.Parameter> parameters = procedure.parameters();
      for (int i = 0; i < parameters.size(); i++) {
        if (!input.isNullAt(i)) {
          values.put(parameters.get(i).name(), value(input, i, parameters.get(i)));
        }
      }
      List<Row> rows = procedure.call(new Arguments(values, ArrayMorphCatalog.this::place));
      return List.<Scan>of(new Result(procedure.schema(), rows)).iterator();
    }

    private Object value(InternalRow input, int i, SystemProcedure.Parameter parameter) {
      if (parameter.type() instanceof BooleanType) {
        return input.getBoolean(i);
      }
      return parameter.type() instanceof LongType
          ? input.getLong(i)
          : input.getUTF8String(i).toString();
    }
  }

  private record Result(StructType readSchema, List<Row> results) implements LocalScan {
    @Override
    public InternalRow[] rows() {
      return results.stream().map(Result::internalRow).toArray(InternalRow[]::new);
    }

    private static InternalRow internalRow(Row row) {
      Object[] values = new Object[row.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = internal(row.get(i));
      }
      return new GenericInternalRow(values);
    }

    private static Object internal(Object value) {
      if (value instanceof Object[]) {
        Object[] items = (Object[]) value;
        return new GenericArrayData(Arrays.stream(items).map(Result::internal).toArray());
      }
      return value instanceof String ? UTF8String.fromString((String) value) : value;
    }
  }
}
