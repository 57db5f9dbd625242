package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delta.storage.LogStore;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConditionalLogStoreTest {
  private static final int MACHINES = 3;
  private static final int COMMITS = 12;

  private final Configuration hadoop = new Configuration();
  private final LogStore logs = new ConditionalLogStore(hadoop);

  @TempDir java.nio.file.Path directory;

  private Path entry(long version) {
    return entry(directory.toString(), version);
  }

  private static Path entry(String directory, long version) {
    return new Path("file://" + directory, String.format("%020d.json", version));
  }

  @Test
  void an_entry_is_written_once_and_read_back() throws Exception {
    logs.write(entry(0), List.of("{\"a\":1}", "ä").iterator(), false, hadoop);
    assertThatThrownBy(() -> logs.write(entry(0), List.of("other").iterator(), false, hadoop))
        .isInstanceOf(FileAlreadyExistsException.class);
    List<String> lines = new ArrayList<>();
    logs.read(entry(0), hadoop).forEachRemaining(lines::add);
    assertThat(lines).containsExactly("{\"a\":1}", "ä");
    assertThat(logs.isPartialWriteVisible(entry(0), hadoop)).isFalse();
    assertThat(logs.listFrom(entry(0), hadoop)).toIterable().hasSize(1);
    logs.write(entry(0), List.of("new").iterator(), true, hadoop);
    assertThat(Files.readString(directory.resolve(entry(0).getName()))).isEqualTo("new\n");
  }

  @Test
  void a_write_whose_answer_was_lost_succeeds_when_it_is_repeated() throws Exception {
    logs.write(entry(0), List.of("mine").iterator(), false, hadoop);
    logs.write(entry(0), List.of("mine").iterator(), false, hadoop);
    assertThat(Files.readString(directory.resolve(entry(0).getName()))).isEqualTo("mine\n");
  }

  @Test
  void commits_of_three_machines_at_once_are_all_kept() throws Exception {
    List<Process> machines = new ArrayList<>();
    for (int machine = 0; machine < MACHINES; machine++) {
      machines.add(
          new ProcessBuilder(
                  java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx256m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Machine.class.getName(),
                  directory.toString(),
                  String.valueOf(machine))
              .redirectOutput(new File(directory.toFile(), "machine-" + machine + ".txt"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start());
    }
    List<String> acknowledged = new ArrayList<>();
    for (int machine = 0; machine < MACHINES; machine++) {
      assertThat(machines.get(machine).waitFor()).isZero();
      acknowledged.addAll(Files.readAllLines(directory.resolve("machine-" + machine + ".txt")));
    }
    assertThat(acknowledged).hasSize(MACHINES * COMMITS).doesNotHaveDuplicates();
    for (String commit : acknowledged) {
      String[] parts = commit.split(" ", -1);
      assertThat(Files.readString(directory.resolve(parts[0]))).isEqualTo(parts[1] + "\n");
    }
  }

  /** Commits as Delta does: the next version, and the one after that if it is taken. */
  static final class Machine {
    private Machine() {}

    public static void main(String[] arguments) throws IOException {
      Configuration hadoop = new Configuration();
      LogStore logs = new ConditionalLogStore(hadoop);
      long version = 0;
      for (int commit = 0; commit < COMMITS; version++) {
        Path entry = entry(arguments[0], version);
        String content = "machine-" + arguments[1] + "-commit-" + commit;
        try {
          logs.write(entry, List.of(content).iterator(), false, hadoop);
          System.out.println(entry.getName() + " " + content);
          commit++;
        } catch (FileAlreadyExistsException e) {
          // another machine has this version: the next one
        }
      }
    }
  }
}
