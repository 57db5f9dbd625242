package io.arraymorph.spark;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Puts {@link ClipRule} and the table function {@code array_scan} into every session; Spark finds
 * this class by {@link java.util.ServiceLoader}.
 *
 * <p>Some platforms do not load providers; the first read of tensor rows then says so in the log.
 */
public final class ClipGuard extends AbstractFunction1<SparkSessionExtensions, BoxedUnit>
    implements SparkSessionExtensionsProvider {
  private static final Logger LOG = LoggerFactory.getLogger(ClipGuard.class);
  private static final AtomicBoolean LOADED = new AtomicBoolean();
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectColumnar(new RuleOfSession());
    ArrayScanFunction.inject(extensions);
    LOADED.set(true);
    return BoxedUnit.UNIT;
  }

  /** Logs one warning per JVM if no session of this JVM has loaded the guard. */
  static void warnIfAbsent() {
    if (!LOADED.get() && WARNED.compareAndSet(false, true)) {
      LOG.warn(
          "Spark did not load {}: predicates on packed dimensions of tensor rows that cannot become"
              + " hyperslabs are not detected here and compare the first coordinate of each row."
              + " Set spark.sql.extensions={}, or read such data with option rows=cells.",
          ClipGuard.class.getName(),
          ClipGuard.class.getName());
    }
  }

  private static final class RuleOfSession extends AbstractFunction1<SparkSession, ColumnarRule> {
    @Override
    public ColumnarRule apply(SparkSession session) {
      return new BeforeTransitions();
    }
  }

  private static final class BeforeTransitions extends ColumnarRule {
    @Override
    public Rule<SparkPlan> preColumnarTransitions() {
      return new ClipRule();
    }
  }
}
