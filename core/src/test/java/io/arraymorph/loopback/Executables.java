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
   * where Go installs.
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
    places.add(Path.of(System.getProperty("user.home"), "go", "bin", name));
    return places.stream().filter(Files::isExecutable).findFirst();
  }
}
