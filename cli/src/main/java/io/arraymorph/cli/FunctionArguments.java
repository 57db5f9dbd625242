package io.arraymorph.cli;

import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.function.RemoteSliceFunction;
import io.arraymorph.optimizer.function.SliceFunctionOptions;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which slice function may be called. */
final class FunctionArguments {
  private static final String TOKEN = "ARRAYMORPH_SLICE_TOKEN";

  @Option(
      names = "--slice-function",
      paramLabel = "URL",
      description = "A slice function; its token is in the environment variable " + TOKEN + ".")
  private String url;

  @Option(
      names = "--slice-function-failure",
      description = "If a call fails: get (default) reads the store instead, error fails.")
  private String failure;

  @Option(
      names = "--slice-function-credentials",
      description = "own (default), or presigned: a URL is signed for each object.")
  private String credentials;

  /** The function, if one was named. */
  Optional<SliceFunctionOptions> options() {
    return SliceFunctionOptions.parse(
        Optional.ofNullable(url),
        Optional.ofNullable(System.getenv(TOKEN)),
        Optional.ofNullable(failure),
        Optional.ofNullable(credentials),
        Optional.empty());
  }

  /** The function to call, if one was named. */
  Optional<SliceFunction> function() {
    return options().map(RemoteSliceFunction::of);
  }
}
