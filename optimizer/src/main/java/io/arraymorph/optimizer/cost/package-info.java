/**
 * What reading costs: sums over the requests of a plan in, seconds and dollars out.
 *
 * <p>Start with {@link io.arraymorph.optimizer.cost.CostModel}. Pure arithmetic on profiles;
 * nothing of plans is known here.
 */
package io.arraymorph.optimizer.cost;
