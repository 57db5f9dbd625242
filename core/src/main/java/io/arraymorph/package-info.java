/** What every module shares: the error type and its stable codes. Depends on the JDK only. */
package io.arraymorph;
