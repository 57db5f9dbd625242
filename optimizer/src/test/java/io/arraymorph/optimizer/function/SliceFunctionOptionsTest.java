package io.arraymorph.optimizer.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users may say of a slice function, and that no message repeats a secret. */
class SliceFunctionOptionsTest {
  private static final String SECRET = "s3cr3t-of-mine";

  private static Optional<SliceFunctionOptions> parse(String url, String hosts) {
    return SliceFunctionOptions.parse(
        Optional.of(url),
        Optional.of(SECRET),
        Optional.empty(),
        Optional.empty(),
        Optional.ofNullable(hosts));
  }

  private static void assertRefused(ThrowingCallable call, String problem) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ArrayMorphException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_OPTION))
        .hasMessageContaining(problem)
        .hasMessageNotContaining(SECRET)
        .hasNoCause();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://slices.example.com",
        "HTTPS://slices.example.com:8443/a/b",
        " https://slices.example.com/ ",
        "http://127.0.0.1:9000",
        "http://localhost",
        "http://[::1]:9000"
      })
  void endpointsOverTlsOrOnThisMachineAreTaken(String url) {
    assertThat(parse(url, null).map(SliceFunctionOptions::token)).contains(SECRET);
    assertThat(parse(url, null).orElseThrow().toString()).doesNotContain(SECRET);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://a b/s3cr3t-of-mine | is not a URL",
        "'' | neither https nor http",
        "slices.example.com | neither https nor http",
        "https: | is not a URL",
        "https:///path | neither https nor http",
        "mailto:s3cr3t-of-mine | neither https nor http",
        "http://slices.example.com | neither https nor http",
        "http://127.0.0.1.example.com | neither https nor http",
        "http://0.0.0.0:80 | neither https nor http",
        "ftp://127.0.0.1/ | neither https nor http",
        "file:///s3cr3t | neither https nor http",
        "https://me:s3cr3t-of-mine@slices.example.com | holds a user or a query",
        "https://slices.example.com/?token=s3cr3t-of-mine | holds a user or a query",
        "https://slices.example.com/#s3cr3t-of-mine | has a fragment",
        "https://slices.example.com:65536/ | a port above 65535"
      })
  void otherUrlsAreRefused(String url, String problem) {
    assertRefused(() -> parse(url, null), problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://a.example.com | a.example.com",
        "https://A.Example.COM | b.example.com, a.example.com",
        "https://a.example.com | *.example.com",
        "https://a.b.example.com | ,*.example.com,"
      })
  void hostsOfTheSessionAreTaken(String url, String hosts) {
    assertThat(parse(url, hosts)).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://a.example.com | ''",
        "https://a.example.com | b.example.com",
        "https://a.example.com | example.com",
        "https://example.com | *.example.com",
        "https://aexample.com | *.example.com",
        "https://a.example.com.evil.org | *.example.com,a.example.com",
        "http://127.0.0.1:9000 | a.example.com"
      })
  void otherHostsAreRefused(String url, String hosts) {
    assertRefused(() -> parse(url, hosts), "is not among those that are allowed");
  }

  @Test
  void otherOptionsAreChecked() {
    Optional<String> url = Optional.of("https://slices.example.com");
    Optional<String> token = Optional.of(SECRET);
    Optional<String> none = Optional.empty();
    assertRefused(
        () -> SliceFunctionOptions.parse(url, token, Optional.of("fall back"), none, none),
        "slice-function-failure: 'fall back' is not allowed");
    assertRefused(
        () -> SliceFunctionOptions.parse(url, token, none, Optional.of("Own"), none),
        "slice-function-credentials: 'Own' is not allowed");
    for (String bad : new String[] {"", "  ", SECRET + "\r\nX-Other: 1", SECRET + " 1"}) {
      assertRefused(
          () -> SliceFunctionOptions.parse(url, Optional.of(bad), none, none, none),
          "without a usable slice-function-token");
    }
    assertRefused(
        () -> SliceFunctionOptions.parse(url, none, none, none, none),
        "without a usable slice-function-token");
    SliceFunctionOptions strict =
        SliceFunctionOptions.parse(url, token, Optional.of("error"), Optional.of("presigned"), none)
            .orElseThrow();
    assertThat(strict.required()).isTrue();
    assertThat(strict.presigned()).isTrue();
    assertThat(SliceFunctionOptions.parse(none, token, none, none, none)).isEmpty();
  }
}
