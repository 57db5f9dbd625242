/**
 * Google Cloud Storage through its JSON API, on the HTTP client of the JDK; Google's own library
 * only makes the tokens.
 *
 * <p>Start with {@link io.arraymorph.cloud.gcs.GcsStoreProvider}, which reads the settings of a
 * session; {@link io.arraymorph.cloud.gcs.GcsObjectStore} makes the requests.
 */
package io.arraymorph.cloud.gcs;
