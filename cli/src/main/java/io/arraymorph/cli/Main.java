package io.arraymorph.cli;

import io.arraymorph.ArrayMorphException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The command {@code arraymorph}. */
@Command(
    name = "arraymorph",
    description = "Reads and writes chunked arrays without Spark.",
    mixinStandardHelpOptions = true,
    version = "arraymorph 0.1.0",
    subcommands = {
      InfoCommand.class,
      ReadCommand.class,
      PlanCommand.class,
      WriteCommand.class,
      CopyCommand.class,
      HelpCommand.class
    })
public final class Main {
  private static final int FAILED = 1;
  private static final int DEFECT = 3;

  private Main() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    System.exit(run(writer(System.out), writer(System.err), arguments));
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }

  /** Runs a command; returns its exit code. */
  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    return new CommandLine(new Main())
        .setOut(out)
        .setErr(err)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              if (failure instanceof ArrayMorphException) {
                err.println(failure.getMessage());
                return FAILED;
              }
              failure.printStackTrace(err);
              return DEFECT;
            })
        .execute(arguments);
  }
}
