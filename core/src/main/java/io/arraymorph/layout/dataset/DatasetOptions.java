package io.arraymorph.layout.dataset;

import java.util.Objects;

/**
 * How a dataset is opened.
 *
 * @param array option {@code array}: names of variables separated by commas, each a path inside the
 *     group; empty for all variables of one dimension set
 * @param decode whether attributes of CF are applied
 * @param v2Fill what the fill value of a Zarr v2 array means
 */
public record DatasetOptions(String array, boolean decode, V2Fill v2Fill) {

  /** What a Zarr v2 array's {@code fill_value} means, beside the value of absent chunks. */
  public enum V2Fill {
    /** A value like any other. */
    VALUE,
    /** Missing, as xarray reads it. */
    MISSING
  }

  /** All variables of one dimension set, decoded. */
  public static final DatasetOptions DEFAULT = new DatasetOptions("", true, V2Fill.VALUE);

  /** No part may be null. */
  public DatasetOptions {
    Objects.requireNonNull(array);
    Objects.requireNonNull(v2Fill);
  }

  /** These options with other variables. */
  public DatasetOptions withArray(String names) {
    return new DatasetOptions(names, decode, v2Fill);
  }

  /** These options, decoding or not. */
  public DatasetOptions withDecode(boolean decoded) {
    return new DatasetOptions(array, decoded, v2Fill);
  }

  /** These options with another meaning of v2 fill values. */
  public DatasetOptions withV2Fill(V2Fill meaning) {
    return new DatasetOptions(array, decode, meaning);
  }
}
