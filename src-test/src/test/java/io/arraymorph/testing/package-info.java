/** What end-to-end tests start and stop: a local S3 server, a Spark session. */
package io.arraymorph.testing;
