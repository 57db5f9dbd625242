/**
 * The slice function: cuts hyperslabs out of chunks beside the store and returns only their bytes.
 */
package io.arraymorph.lambda;
