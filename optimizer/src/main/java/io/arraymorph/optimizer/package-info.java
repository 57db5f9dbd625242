/** From a selection of an array to the requests that fetch it, and their execution. */
package io.arraymorph.optimizer;
