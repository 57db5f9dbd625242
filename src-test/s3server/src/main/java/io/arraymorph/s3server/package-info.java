/** A local S3 server for the demo and the tests. */
package io.arraymorph.s3server;
