/**
 * Runs access plans: the only place that reads chunks, from requests to elements.
 *
 * <p>Start with {@link io.arraymorph.optimizer.execute.HyperslabReader}. One query flows through
 * {@code WindowedStream} (what is read ahead), {@code PartResolver} (which bytes a chunk selection
 * needs), the planner (which requests), {@code ObjectFetcher} (the requests), and {@code
 * ChunkDecoder} (bytes to elements).
 */
package io.arraymorph.optimizer.execute;
