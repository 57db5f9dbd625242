package io.arraymorph.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What class files do not show. */
class SourceRulesTest {
  private static final Path ROOT = Path.of(System.getProperty("arraymorph.root")).normalize();
  private static final int MOST_LINES = 400;

  @Test
  void oneConceptIsOneFileOfAReadableLength() throws IOException {
    for (Path source : sources("java")) {
      assertThat(Files.readAllLines(source)).as("%s", source).hasSizeLessThanOrEqualTo(MOST_LINES);
    }
  }

  @Test
  void everyPackageSaysWhatItIsFor() throws IOException {
    List<Path> packages =
        sources("java").stream()
            .filter(source -> source.toString().contains("/src/main/java/"))
            .map(Path::getParent)
            .distinct()
            .collect(Collectors.toList());
    assertThat(packages).hasSizeGreaterThan(5);
    assertThat(packages).allSatisfy(dir -> assertThat(dir.resolve("package-info.java")).exists());
  }

  private static List<Path> sources(String suffix) throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules
          .map(module -> module.resolve("src"))
          .filter(Files::isDirectory)
          .flatMap(dir -> walk(dir).stream())
          .filter(file -> file.toString().endsWith("." + suffix))
          .collect(Collectors.toList());
    }
  }

  private static List<Path> walk(Path dir) {
    try (Stream<Path> files = Files.walk(dir)) {
      return files.collect(Collectors.toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
