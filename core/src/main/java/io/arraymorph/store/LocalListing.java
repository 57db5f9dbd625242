package io.arraymorph.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One page of the regular files under a directory, as keys in UTF-8 order.
 *
 * <p>Directories are prefixes only if some file is below them. The page before is continued behind
 * its last key, so files that come and go between pages do no harm.
 */
final class LocalListing {
  private final String prefix;
  private final boolean rollUp;
  private final String after;
  private final int limit;
  private final List<ObjectStat> objects = new ArrayList<>();
  private final List<String> prefixes = new ArrayList<>();
  private String last = "";
  private boolean truncated;

  private LocalListing(String prefix, boolean rollUp, String after, int limit) {
    this.prefix = prefix;
    this.rollUp = rollUp;
    this.after = after;
    this.limit = limit;
  }

  static ListPage page(Path root, String prefix, boolean rollUp, String after, int limit)
      throws IOException {
    LocalListing listing = new LocalListing(prefix, rollUp, after, limit);
    String directory = prefix.substring(0, prefix.lastIndexOf('/') + 1);
    if (directory.isEmpty()) {
      listing.walk(root, "");
    } else if (ObjectKeys.canStart(prefix)) {
      listing.walk(root.resolve(directory), directory);
    }
    return new ListPage(listing.objects, listing.prefixes, listing.truncated ? listing.last : "");
  }

  /**
   * @param parent the key of the directory, empty or ending in a slash
   */
  private void walk(Path directory, String parent) throws IOException {
    for (Child child : children(directory, parent)) {
      if (truncated) {
        return;
      }
      boolean inside = child.key.startsWith(prefix);
      if (!inside && !(child.isDirectory && prefix.startsWith(child.key))) {
        continue;
      }
      boolean seen = Utf8Order.INSTANCE.compare(child.key, after) <= 0;
      if (!child.isDirectory) {
        if (!seen && reserve(child.key)) {
          objects.add(LocalVersion.of(child.attributes).stat(child.key));
        }
      } else if (rollUp && inside && child.key.length() > prefix.length()) {
        if (!seen && holdsFile(child.path, child.key) && reserve(child.key)) {
          prefixes.add(child.key);
        }
      } else if (!seen || after.startsWith(child.key)) {
        walk(child.path, child.key);
      }
    }
  }

  private boolean reserve(String key) {
    if (objects.size() + prefixes.size() == limit) {
      truncated = true;
      return false;
    }
    last = key;
    return true;
  }

  private static boolean holdsFile(Path directory, String key) throws IOException {
    List<Child> children = children(directory, key);
    for (Child child : children) {
      if (!child.isDirectory) {
        return true;
      }
    }
    for (Child child : children) {
      if (holdsFile(child.path, child.key)) {
        return true;
      }
    }
    return false;
  }

  private static List<Child> children(Path directory, String parent) throws IOException {
    List<Child> children = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        Child child = child(entry, parent);
        if (child != null) {
          children.add(child);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
    // A directory sorts as its name with a slash: a-b, a.b, a/b, a0.
    children.sort(Comparator.comparing(child -> child.key, Utf8Order.INSTANCE));
    return children;
  }

  private static Child child(Path path, String parent) throws IOException {
    String name = path.getFileName().toString();
    if (name.startsWith(LocalObjectStore.HIDDEN_PREFIX)) {
      return null;
    }
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (AccessDeniedException e) {
      throw e;
    } catch (FileSystemException e) {
      return null; // removed meanwhile, or a link that leads nowhere or in a circle
    }
    if (attributes.isDirectory()) {
      return new Child(path, parent + name + "/", true, attributes);
    }
    String key = parent + name;
    boolean object = attributes.isRegularFile() && ObjectKeys.isValid(key);
    return object ? new Child(path, key, false, attributes) : null;
  }

  private record Child(
      Path path, String key, boolean isDirectory, BasicFileAttributes attributes) {}
}
