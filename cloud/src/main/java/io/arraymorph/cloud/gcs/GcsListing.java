package io.arraymorph.cloud.gcs;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectKeys;
import io.arraymorph.store.ObjectStat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** One page of a listing of a bucket. */
final class GcsListing {
  private GcsListing() {}

  static ListPage page(JsonNode answer, GcsObjectStore store) {
    List<ObjectStat> objects = new ArrayList<>();
    for (JsonNode object : answer.path("items")) {
      // Others leave "directory/" markers, which are no objects to us.
      if (ObjectKeys.isValid(object.path("name").asText())) {
        objects.add(store.stat(object));
      }
    }
    objects.sort(Comparator.comparing(ObjectStat::key, ObjectKeys.order()));
    List<String> prefixes = new ArrayList<>();
    answer.path("prefixes").forEach(prefix -> prefixes.add(prefix.asText()));
    prefixes.sort(ObjectKeys.order());
    return new ListPage(objects, prefixes, answer.path("nextPageToken").asText(""));
  }
}
