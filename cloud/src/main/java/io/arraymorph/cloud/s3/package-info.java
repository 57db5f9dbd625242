/**
 * Amazon S3 and what speaks its protocol, on the AWS SDK's synchronous client.
 *
 * <p>Start with {@link io.arraymorph.cloud.s3.S3StoreProvider}, which reads the settings of a
 * session; {@link io.arraymorph.cloud.s3.S3ObjectStore} makes the requests.
 */
package io.arraymorph.cloud.s3;
