/**
 * The slice function: a small HTTP server beside a store that reads parts of chunks there and
 * answers only the elements asked for.
 *
 * <p>Start with {@link io.arraymorph.lambda.SliceServer}; what is sent is docs/spec/subset.md.
 */
package io.arraymorph.lambda;
