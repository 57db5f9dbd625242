/** What other libraries write, as they read it back, against every way in which we read it. */
package io.arraymorph.differential;
