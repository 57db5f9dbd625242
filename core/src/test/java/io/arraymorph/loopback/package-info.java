/** Servers on the loopback interface that tests of all modules talk to: real ones and bad ones. */
package io.arraymorph.loopback;
