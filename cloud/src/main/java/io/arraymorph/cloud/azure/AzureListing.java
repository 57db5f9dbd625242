package io.arraymorph.cloud.azure;

import com.azure.core.http.rest.PagedResponse;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.BlobItem;
import com.azure.storage.blob.models.BlobListDetails;
import com.azure.storage.blob.models.ListBlobsOptions;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectKeys;
import io.arraymorph.store.ObjectStat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/** One page of a listing of a container; directories of a hierarchical namespace left out. */
final class AzureListing {
  private AzureListing() {}

  static ListPage page(
      BlobContainerClient container, String prefix, String delimiter, String continuation) {
    ListBlobsOptions options =
        new ListBlobsOptions()
            .setPrefix(prefix.isEmpty() ? null : prefix)
            .setDetails(new BlobListDetails().setRetrieveMetadata(true));
    String token = continuation.isEmpty() ? null : continuation;
    var listing =
        delimiter.isEmpty()
            ? container.listBlobs(options, null)
            : container.listBlobsByHierarchy(delimiter, options, null);
    Iterator<PagedResponse<BlobItem>> pages =
        (token == null ? listing.iterableByPage() : listing.iterableByPage(token)).iterator();
    List<ObjectStat> objects = new ArrayList<>();
    List<String> prefixes = new ArrayList<>();
    if (!pages.hasNext()) {
      return new ListPage(objects, prefixes, "");
    }
    PagedResponse<BlobItem> page = pages.next();
    for (BlobItem item : page.getValue()) {
      if (Boolean.TRUE.equals(item.isPrefix())) {
        prefixes.add(item.getName());
      } else if (ObjectKeys.isValid(item.getName()) && !isFolder(item)) {
        var properties = item.getProperties();
        objects.add(
            new ObjectStat(
                item.getName(),
                properties.getContentLength(),
                AzureObjectStore.unquoted(properties.getETag()),
                properties.getLastModified().toInstant()));
      }
    }
    objects.sort(Comparator.comparing(ObjectStat::key, ObjectKeys.order()));
    prefixes.sort(ObjectKeys.order());
    String next = page.getContinuationToken();
    return new ListPage(objects, prefixes, next == null ? "" : next);
  }

  private static boolean isFolder(BlobItem item) {
    return item.getMetadata() != null
        && item.getMetadata().containsKey(AzureObjectStore.FOLDER_KEY);
  }
}
