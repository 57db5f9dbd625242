/**
 * Measures how fast a store answers from here, within bounds on time and bytes.
 *
 * <p>Start with {@link io.arraymorph.optimizer.measure.StoreProbe}.
 */
package io.arraymorph.optimizer.measure;
