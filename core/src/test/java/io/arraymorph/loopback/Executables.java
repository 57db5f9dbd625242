package io.arraymorph.loopback;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds programs that tests use where they are installed, and are skipped by name where not. */
public final class Executables {
  private Executables() {}

  /**
   * A program by name: where the system property {@code arraymorph.NAME} says, on the PATH, or
   * below {@code target/tools} of the repository, where {@code GOBIN=target/tools/bin go install}
   * and {@code npm install --prefix target/tools} put it.
   */
  public static Optional<Path> find(String name) {
    List<Path> places = new ArrayList<>();
    String property = System.getProperty("arraymorph." + name);
    if (property != null) {
      places.add(Path.of(property));
    }
    String path = System.getenv("PATH");
    for (String directory : (path == null ? "" : path).split(File.pathSeparator)) {
      if (!directory.isEmpty()) {
        places.add(Path.of(directory, name));
      }
    }
    for (Path root = Path.of("").toAbsolutePath(); root != null; root = root.getParent()) {
      places.add(root.resolve("target/tools/bin").resolve(name));
      places.add(root.resolve("target/tools/node_modules/.bin").resolve(name));
    }
    return places.stream().filter(Files::isExecutable).findFirst();
  }
}
