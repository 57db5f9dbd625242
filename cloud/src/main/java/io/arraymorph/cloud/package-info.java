/**
 * Object stores of the cloud vendors behind the store interface of core. SDK types never leave
 * these packages.
 */
package io.arraymorph.cloud;
