/**
 * Azure Blob Storage, also with a hierarchical namespace (Data Lake Storage Gen2), on Azure's SDK
 * over the HTTP client of the JDK.
 *
 * <p>Start with {@link io.arraymorph.cloud.azure.AzureStoreProvider}, which reads the settings of a
 * session; {@link io.arraymorph.cloud.azure.AzureObjectStore} makes the requests.
 */
package io.arraymorph.cloud.azure;
