package io.arraymorph.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The Python process of {@code src-test/differential} that writes arrays, one when asked. */
final class Corpus implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path folder;
  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;

  /**
   * Starts the process.
   *
   * @param python an interpreter that has the requirements
   * @param folder where arrays are written
   */
  Corpus(String python, Path folder, long seed) throws IOException {
    this.folder = folder;
    Path script = Path.of(System.getProperty("arraymorph.root"), "src-test/differential/corpus.py");
    this.process =
        new ProcessBuilder(
                List.of(
                    python, script.toString(), folder.toString(), "--seed", Long.toString(seed)))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    this.requests =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Asks for an array; {@link #answer} waits for it. */
  void ask(long number) throws IOException {
    requests.write(number + "\n");
    requests.flush();
  }

  /** What the process says of the next array that was asked for. */
  JsonNode answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IllegalStateException("the Python process ended; its messages are above");
    }
    return MAPPER.readTree(line);
  }

  /** Where an array lies. */
  Path array(long number) {
    return folder.resolve("a" + number);
  }

  /** Deletes an array. */
  void delete(long number) {
    if (Files.exists(array(number))) {
      try (Stream<Path> files = Files.walk(array(number))) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Ends the process. */
  @Override
  public void close() throws IOException {
    requests.close();
    answers.close();
    process.destroy();
  }
}
