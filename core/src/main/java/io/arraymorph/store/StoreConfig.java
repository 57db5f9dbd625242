package io.arraymorph.store;

import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The settings with which stores are opened: Hadoop-style keys ({@code fs.s3a.endpoint}, ..) and
 * {@code arraymorph.*} options.
 *
 * <p>Immutable, serializable (it travels to executors), and silent: {@link #toString()} shows key
 * names only, for values may be credentials.
 */
public final class StoreConfig implements Serializable {
  private static final long serialVersionUID = 1L;

  private final TreeMap<String, String> settings;

  private StoreConfig(Map<String, String> settings) {
    this.settings = new TreeMap<>(settings);
  }

  /** The configuration with these settings, copied. */
  public static StoreConfig of(Map<String, String> settings) {
    return new StoreConfig(settings);
  }

  /** No settings: SDK defaults. */
  public static StoreConfig empty() {
    return new StoreConfig(Map.of());
  }

  /** The value of a key, trimmed, if it is set and not blank. */
  public Optional<String> get(String key) {
    return Optional.ofNullable(settings.get(key)).map(String::trim).filter(v -> !v.isEmpty());
  }

  /** All settings, unmodifiable. */
  public Map<String, String> settings() {
    return Collections.unmodifiableMap(settings);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoreConfig && settings.equals(((StoreConfig) other).settings);
  }

  @Override
  public int hashCode() {
    return settings.hashCode();
  }

  /** The names of the keys set; no values. */
  @Override
  public String toString() {
    return "StoreConfig" + settings.keySet();
  }
}
