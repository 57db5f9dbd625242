package io.arraymorph.optimizer.profile;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The profiles that are shipped, and those that users bring. Thread-safe. */
public final class StoreProfiles {
  /** The environment variable that says where this process runs, seen from the store. */
  public static final String LOCATION = "ARRAYMORPH_LOCATION";

  private static final String IN_REGION = ".in-region";
  private static final long MAX_FILE_BYTES = 1 << 20;
  private static final Map<String, StoreProfile> SHIPPED = new ConcurrentHashMap<>();

  /** The names of all shipped profiles, sorted. */
  public static final List<String> NAMES =
      List.of(
          "azure-blob.in-region",
          "azure-blob.wan",
          "azure-dfs.in-region",
          "azure-dfs.wan",
          "gcs.in-region",
          "gcs.wan",
          "local",
          "paper.azure",
          "paper.gcs",
          "paper.s3",
          "s3-express.in-region",
          "s3-express.wan",
          "s3.in-region",
          "s3.wan");

  private StoreProfiles() {}

  /**
   * The profile of a name, else in a file.
   *
   * @param nameOrPath one of {@link #NAMES}, or the path of a local file
   * @throws ArrayMorphException with INVALID_OPTION if there is neither, PROFILE_INVALID if the
   *     file makes no sense
   */
  public static StoreProfile of(String nameOrPath) {
    String name = nameOrPath.trim();
    if (NAMES.contains(name.toLowerCase(Locale.ROOT))) {
      return shipped(name.toLowerCase(Locale.ROOT));
    }
    try {
      Path file = Path.of(name);
      if (Files.isRegularFile(file)) {
        if (Files.size(file) > MAX_FILE_BYTES) {
          throw ProfileFields.invalid(name + " is larger than " + MAX_FILE_BYTES + " bytes");
        }
        return PlausibleUnits.checked(ProfileJson.parse(Files.readString(file), name), name);
      }
    } catch (InvalidPathException e) {
      throw unknown(name, e);
    } catch (IOException e) {
      throw ProfileFields.invalid(name + " cannot be read as UTF-8: " + e.getMessage(), e);
    }
    throw unknown(name, null);
  }

  private static ArrayMorphException unknown(String name, Throwable cause) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        "profile '" + name + "' is neither shipped nor a file",
        "Use profile=<path of a profile file> or one of " + NAMES,
        cause);
  }

  /**
   * The profile that fits a store when users name none: by the scheme of its URI, and by where the
   * environment variable {@value #LOCATION} says that this process runs, {@code in-region} or
   * {@code wan}; else in-region for clouds, for that is where clusters run.
   *
   * @param uri of the store or anything in it, as {@code s3://bucket}
   */
  public static StoreProfile detect(String uri) {
    return detect(uri, System.getenv(LOCATION));
  }

  /**
   * @param location {@code in-region}, {@code wan}, or null
   * @throws ArrayMorphException with INVALID_OPTION for another location
   */
  static StoreProfile detect(String uri, String location) {
    String where = location == null || location.isBlank() ? "in-region" : location.trim();
    if (!where.equals("in-region") && !where.equals("wan")) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          LOCATION + " is '" + where + "'",
          "Set the environment variable to in-region or wan, or unset it");
    }
    String service = service(uri);
    return shipped(service.equals("local") ? service : service + "." + where);
  }

  /** The shipped profile of the same store over the internet; of others the same. */
  static StoreProfile farther(StoreProfile profile) {
    String name = profile.name();
    return name.endsWith(IN_REGION)
        ? shipped(name.substring(0, name.length() - IN_REGION.length()) + ".wan")
        : profile;
  }

  private static String service(String uri) {
    int colon = uri.indexOf(':');
    String scheme = colon < 0 ? "" : uri.substring(0, colon).toLowerCase(Locale.ROOT);
    switch (scheme) {
      case "abfs":
      case "abfss":
      // Whatever the URI says, requests go to the blob endpoint, where no length is metered.
      case "wasb":
      case "wasbs":
      case "az":
        return "azure-blob";
      case "gs":
        return "gcs";
      case "":
      case "file":
      case "memory":
        return "local";
      default:
        return uri.contains("--x-s3") ? "s3-express" : "s3";
    }
  }

  private static StoreProfile shipped(String name) {
    return SHIPPED.computeIfAbsent(name, StoreProfiles::load);
  }

  private static StoreProfile load(String name) {
    String resource = name + ".json";
    try (InputStream in = StoreProfiles.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("profile " + name + " is not in this jar");
      }
      return ProfileJson.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), resource);
    } catch (IOException e) {
      throw new IllegalStateException("profile " + name + " cannot be read from this jar", e);
    }
  }
}
