package io.arraymorph.testing;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test after which readers still hold Arrow memory; applied to every test of this module.
 *
 * <p>Tasks that a test had cancelled get a moment to end.
 */
public final class NoArrowLeaks implements AfterEachCallback {
  private static final long PATIENCE_MILLIS = 10_000;

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
    long bytes = allocatedBytes();
    while (bytes != 0 && System.currentTimeMillis() < deadline) {
      Thread.sleep(20);
      bytes = allocatedBytes();
    }
    if (bytes != 0) {
      throw new AssertionError(bytes + " bytes of Arrow memory are left");
    }
  }

  private static long allocatedBytes() throws ReflectiveOperationException {
    // Package-private in the jar under test, for it is nothing to offer users.
    Class<?> memory = Class.forName("io.arraymorph.spark.read.ArrowMemory");
    Method method = memory.getDeclaredMethod("allocatedBytes");
    method.setAccessible(true);
    return (long) method.invoke(null);
  }
}
