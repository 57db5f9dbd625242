/**
 * How the needed bytes of objects are fetched: needs in, an access plan out.
 *
 * <p>Start with {@link io.arraymorph.optimizer.plan.AccessPlanner}. Everything here is a pure
 * function between small immutable values; no I/O, and nothing of {@code execute} is known.
 */
package io.arraymorph.optimizer.plan;
