package io.arraymorph.optimizer.function;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.slice.SliceClient;
import java.io.Serializable;
import java.net.URI;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Which slice function a read may call. Immutable, and serializable for executors; never shows its
 * token.
 *
 * @param endpoint where it answers, over https, or http on the loopback interface
 * @param token that it asks for
 * @param required true if a call that fails shall fail the read; else the same bytes are then read
 *     from the store
 * @param presigned true to send a presigned URL of each object; false if the function has
 *     credentials of its own
 */
public record SliceFunctionOptions(URI endpoint, String token, boolean required, boolean presigned)
    implements Serializable {

  /** Throws {@code ArrayMorphException} with INVALID_OPTION for an unsafe endpoint. */
  public SliceFunctionOptions {
    Objects.requireNonNull(token);
    SliceClient.checkEndpoint(endpoint);
  }

  /**
   * The options as users write them.
   *
   * @param url option {@code slice-function}; without it there is no function
   * @param token option {@code slice-function-token}
   * @param failure option {@code slice-function-failure}: {@code get} (default) or {@code error}
   * @param credentials option {@code slice-function-credentials}: {@code own} (default) or {@code
   *     presigned}
   * @param hosts what the session allows, {@code spark.arraymorph.slice-function-hosts}: hosts
   *     separated by commas, {@code *.example.com} for all below one; without it all are allowed
   * @throws ArrayMorphException with INVALID_OPTION; messages never hold the token
   */
  public static Optional<SliceFunctionOptions> parse(
      Optional<String> url,
      Optional<String> token,
      Optional<String> failure,
      Optional<String> credentials,
      Optional<String> hosts) {
    boolean required = isSecond("slice-function-failure", failure, "get", "error");
    boolean presigned = isSecond("slice-function-credentials", credentials, "own", "presigned");
    if (url.isEmpty()) {
      return Optional.empty();
    }
    URI endpoint;
    try {
      endpoint = URI.create(url.get().trim());
    } catch (IllegalArgumentException e) {
      throw invalid("slice-function is not a URL", "Give the https URL of the function");
    }
    if (endpoint.getUserInfo() != null || endpoint.getQuery() != null) {
      throw invalid(
          "slice-function holds a user or a query",
          "Give the URL alone, and the token as slice-function-token");
    }
    if (endpoint.getFragment() != null || endpoint.getPort() > 65_535) {
      throw invalid(
          "slice-function has a fragment, or a port above 65535",
          "Give the https URL of the function");
    }
    SliceClient.checkEndpoint(endpoint);
    if (hosts.isPresent() && !isAllowed(endpoint.getHost(), hosts.get())) {
      throw invalid(
          "slice-function: host " + endpoint.getHost() + " is not among those that are allowed",
          "Ask for it to be added to spark.arraymorph.slice-function-hosts");
    }
    if (token.isEmpty() || token.get().isBlank() || !token.get().matches("[!-~]+")) {
      throw invalid(
          "slice-function without a usable slice-function-token",
          "Give the token of the function, printable and without blanks");
    }
    return Optional.of(new SliceFunctionOptions(endpoint, token.get(), required, presigned));
  }

  /** True for the second of two values; the first is the default. */
  private static boolean isSecond(
      String option, Optional<String> value, String first, String second) {
    if (value.isPresent() && !value.get().equals(first) && !value.get().equals(second)) {
      throw invalid(
          option + ": '" + value.get() + "' is not allowed", "Use " + first + " or " + second);
    }
    return value.isPresent() && value.get().equals(second);
  }

  private static boolean isAllowed(String host, String allowed) {
    String asked = host.toLowerCase(Locale.ROOT);
    return Arrays.stream(allowed.toLowerCase(Locale.ROOT).split(",", -1))
        .map(String::trim)
        .filter(one -> !one.isEmpty())
        .anyMatch(
            one -> one.startsWith("*.") ? asked.endsWith(one.substring(1)) : asked.equals(one));
  }

  private static ArrayMorphException invalid(String problem, String remedy) {
    return new ArrayMorphException(ErrorCode.INVALID_OPTION, "option " + problem, remedy);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "slice function at " + endpoint + (required ? ", required" : "");
  }
}
