package io.arraymorph.cloud.s3;

import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectKeys;
import io.arraymorph.store.ObjectStat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;

/** One page of a listing of a bucket. */
final class S3Listing {
  private S3Listing() {}

  static ListPage page(
      S3Client s3, String bucket, String prefix, String delimiter, String continuation) {
    ListObjectsV2Response answer =
        s3.listObjectsV2(
            request -> {
              request.bucket(bucket).prefix(prefix);
              if (!delimiter.isEmpty()) {
                request.delimiter(delimiter);
              }
              if (!continuation.isEmpty()) {
                request.continuationToken(continuation);
              }
            });
    List<ObjectStat> objects = new ArrayList<>();
    for (var object : answer.contents()) {
      // Others leave "directory/" markers, which are no objects to us.
      if (ObjectKeys.isValid(object.key())) {
        objects.add(
            new ObjectStat(
                object.key(),
                object.size(),
                S3ObjectStore.unquoted(object.eTag()),
                object.lastModified()));
      }
    }
    // Some servers order by UTF-16 instead.
    objects.sort(Comparator.comparing(ObjectStat::key, ObjectKeys.order()));
    List<String> prefixes =
        answer.commonPrefixes().stream().map(p -> p.prefix()).sorted(ObjectKeys.order()).toList();
    boolean more = Boolean.TRUE.equals(answer.isTruncated());
    return new ListPage(objects, prefixes, more ? answer.nextContinuationToken() : "");
  }
}
