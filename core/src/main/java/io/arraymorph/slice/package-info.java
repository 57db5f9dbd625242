/**
 * What is sent to a slice function, and the client that sends it (docs/spec/subset.md).
 *
 * <p>Start with {@link io.arraymorph.slice.SliceClient}. The function itself is another module; it
 * shares the messages only.
 */
package io.arraymorph.slice;
