package io.arraymorph.cloud;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StoreConfig;
import java.util.Locale;
import java.util.Optional;

/**
 * The Hadoop settings of one bucket: {@code fs.s3a.bucket.NAME.key} before {@code fs.s3a.key}, read
 * as their types.
 */
public final class HadoopSettings {
  private final StoreConfig config;
  private final String prefix;
  private final String bucketPrefix;

  /**
   * @param prefix as {@code fs.s3a.}
   * @param bucket its name
   */
  public HadoopSettings(StoreConfig config, String prefix, String bucket) {
    this.config = config;
    this.prefix = prefix;
    this.bucketPrefix = prefix + "bucket." + bucket + ".";
  }

  /** The value of a key given without prefix, as {@code endpoint.region}. */
  public Optional<String> get(String key) {
    return config.get(bucketPrefix + key).or(() -> config.get(prefix + key));
  }

  /** A boolean; INVALID_OPTION if it is neither {@code true} nor {@code false}. */
  public boolean flag(String key, boolean otherwise) {
    Optional<String> text = get(key);
    if (text.isEmpty()) {
      return otherwise;
    }
    switch (text.get().toLowerCase(Locale.ROOT)) {
      case "true":
        return true;
      case "false":
        return false;
      default:
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            prefix + key + " is '" + text.get() + "'",
            "Set it to true or false");
    }
  }

  /** A positive number of an option of this connector, given with its whole key. */
  public int positive(String key, int otherwise) {
    Optional<String> text = config.get(key);
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(text.get());
      if (number > 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new ArrayMorphException(
        ErrorCode.INVALID_OPTION, key + " is '" + text.get() + "'", "Set it to a positive number");
  }

  /** The key as users set it, for messages. */
  public String name(String key) {
    return prefix + key;
  }
}
