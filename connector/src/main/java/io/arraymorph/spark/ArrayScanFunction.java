package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.Option;
import scala.Tuple3;
import scala.collection.Iterable;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * The table function {@code array_scan(uri, option => value, ..)}: what {@code
 * read.format("arraymorph")} gives, in SQL of any catalog.
 *
 * <p>The first argument is the URI, the others are options of reading by name, with {@code _} for
 * {@code -}. All are constants.
 */
final class ArrayScanFunction {
  private static final String NAME = "array_scan";

  private ArrayScanFunction() {}

  /** Makes the function known to sessions. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // Seq is another class in Scala 2.12 and 2.13.
  static void inject(SparkSessionExtensions extensions) {
    extensions.injectTableFunction(
        new Tuple3(
            new FunctionIdentifier(NAME),
            new ExpressionInfo(ArrayScanFunction.class.getName(), NAME),
            new Builder()));
  }

  private static final class Builder extends AbstractFunction1<Object, Object> {
    @Override
    public Object apply(Object arguments) {
      Map<String, String> options = options((Iterable<?>) arguments);
      return DataSourceV2Relation.create(
          new ArrayMorphTable(options, Optional.empty()), Option.empty(), Option.empty());
    }
  }

  private static Map<String, String> options(Iterable<?> arguments) {
    Map<String, String> options = new HashMap<>();
    Iterator<?> iterator = arguments.iterator();
    while (iterator.hasNext()) {
      Object argument = iterator.next();
      if (argument instanceof NamedArgumentExpression) {
        NamedArgumentExpression named = (NamedArgumentExpression) argument;
        String name = named.key().toLowerCase(Locale.ROOT).replace('_', '-');
        if (!name.equals("uri")) {
          ReadOptions.checkName(name);
        }
        put(options, name.equals("uri") ? "path" : name, named.value());
      } else {
        put(options, "path", (Expression) argument);
      }
    }
    if (!options.containsKey("path")) {
      throw invalid("no URI is given");
    }
    return options;
  }

  private static void put(Map<String, String> options, String name, Expression value) {
    if (!value.foldable()) {
      throw invalid("argument " + name + " is " + value.sql() + ", not a constant");
    }
    Object constant = value.eval(null);
    if (constant == null || options.put(name, constant.toString()) != null) {
      throw invalid(
          "argument " + name + (constant == null ? " is NULL" : " is given more than once"));
    }
  }

  private static ArrayMorphException invalid(String problem) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        NAME + ": " + problem,
        "Write array_scan('s3a://b/x.zarr', rows => 'cells', slice => 'time=@0')");
  }
}
