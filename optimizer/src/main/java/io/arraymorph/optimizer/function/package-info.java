/**
 * The slice function as readers call it: options that users give, and the call over HTTP.
 *
 * <p>Start with {@link io.arraymorph.optimizer.function.SliceFunctionOptions}.
 */
package io.arraymorph.optimizer.function;
