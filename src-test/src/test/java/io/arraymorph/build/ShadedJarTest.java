package io.arraymorph.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The jar that users add: one file that brings its libraries and disturbs nobody else's. */
class ShadedJarTest {
  private static final Path ROOT = Path.of(System.getProperty("arraymorph.root"));
  private static final Path JAR = Path.of(System.getProperty("arraymorph.jar"));

  // A descriptor puts an L before a name, a moved name has a slash there, a URL a dot.
  /** Packages of bundled libraries: a reference to one of them that was not moved is a fault. */
  private static final Pattern NOT_RELOCATED =
      Pattern.compile(
          "(?<![a-z0-9_$/.])(software/amazon|com/azure|com/microsoft/aad|reactor|org/jspecify"
              + "|com/google|io/opencensus|io/grpc"
              + "|com/fasterxml|org/apache/http"
              + "|org/apache/commons|org/reactivestreams|io/airlift|org/tukaani"
              // What delta-spark brings stays where it is: our log store is one of its kind.
              + "|io/delta(?!/storage)|org/apache/parquet|shaded/parquet|org/roaringbitmap|org/locationtech)/");

  /** The only Scala types that the class files for Scala 2.12 and 2.13 agree on and we need. */
  private static final Set<String> SCALA_ALLOWED =
      Set.of(
          "scala/Function1",
          "scala/Option",
          "scala/Product",
          "scala/Some",
          "scala/Tuple2",
          "scala/Tuple3",
          "scala/collection/Iterable",
          "scala/collection/Iterator",
          // In the signature of CreatableRelationProvider; one class name in both.
          "scala/collection/immutable/Map",
          // In those of StreamSinkProvider, one for each.
          "scala/collection/Seq",
          "scala/collection/immutable/Seq",
          "scala/runtime/AbstractFunction1",
          "scala/runtime/BoxedUnit");

  private static JarFile jar;

  @BeforeAll
  static void open() throws IOException {
    jar = new JarFile(JAR.toFile());
    System.out.printf(
        "%s: %.1f MB, %d entries%n", JAR.getFileName(), Files.size(JAR) / 1e6, jar.size());
  }

  @AfterAll
  static void close() throws IOException {
    jar.close();
  }

  @Test
  void isNotOlderThanTheClassesItWasMadeFrom() throws IOException {
    var made = Files.getLastModifiedTime(JAR);
    for (String module : List.of("core", "cloud", "optimizer", "delta-tensor", "connector")) {
      Path classes = ROOT.resolve(module).resolve("target/classes");
      if (!Files.isDirectory(classes)) {
        continue; // A jar built elsewhere, tested here.
      }
      try (Stream<Path> files = Files.walk(classes)) {
        assertThat(files.filter(Files::isRegularFile))
            .as("changed after %s was packaged; run mvn package for the connector", JAR)
            .allSatisfy(
                file -> assertThat(Files.getLastModifiedTime(file)).isLessThanOrEqualTo(made));
      }
    }
  }

  @Test
  void keepsEveryClassUnderItsOwnPackage() {
    assertThat(names())
        .filteredOn(name -> name.endsWith(".class"))
        .hasSizeGreaterThan(1000)
        .allSatisfy(name -> assertThat(name).startsWith("io/arraymorph/"));
  }

  @Test
  void bringsOnlyKnownKindsOfResources() {
    Pattern known =
        Pattern.compile(
            "io/arraymorph/.*|mozilla/public-suffix-list.txt|META-INF/services/.*"
                + "|META-INF/(MANIFEST.MF|LICENSE|NOTICE|THIRD-PARTY.md"
                + "|FastDoubleParser-LICENSE|FastDoubleParser-NOTICE|bigint-LICENSE|thirdparty-LICENSE)");
    assertThat(names()).allSatisfy(name -> assertThat(name).matches(known));
    assertThat(names()).contains("META-INF/LICENSE", "META-INF/NOTICE", "META-INF/THIRD-PARTY.md");
    assertThat(names()).noneMatch(name -> name.endsWith("module-info.class"));
  }

  @Test
  void refersToNoBundledPackageByItsOldName() {
    List<String> found = new ArrayList<>();
    forEachClass(
        name -> true,
        (name, constant) -> {
          if (NOT_RELOCATED.matcher(constant).find()) {
            found.add(name + ": " + constant);
          }
        });
    assertThat(found).isEmpty();
  }

  @Test
  void linksWithEveryScalaVersion() {
    Pattern scala = Pattern.compile("(?<![a-z0-9_$/])scala/[A-Za-z0-9_$/]+");
    List<String> found = new ArrayList<>();
    forEachClass(
        name -> !name.startsWith("io/arraymorph/shaded/"),
        (name, constant) -> {
          Matcher matcher = scala.matcher(constant);
          while (matcher.find()) {
            if (!SCALA_ALLOWED.contains(matcher.group())) {
              found.add(name + ": " + matcher.group());
            }
          }
        });
    assertThat(found).isEmpty();
  }

  @Test
  void offersOnlyServicesItHas() throws IOException {
    List<String> names = names();
    for (String file : names) {
      if (file.startsWith("META-INF/services/")) {
        for (String line : text(file).split("\n")) {
          String service = line.replaceFirst("#.*", "").strip();
          if (!service.isEmpty()) {
            assertThat(names).as(file).contains(service.replace('.', '/') + ".class");
          }
        }
      }
    }
  }

  @Test
  void namesEveryLibraryItCarries() throws IOException {
    Pattern coordinates = Pattern.compile("([\\w.-]+:[\\w.-]+):jar:");
    Set<String> bundled = new TreeSet<>();
    try (Stream<String> lines = Files.lines(ROOT.resolve("connector/target/bundled.txt"))) {
      lines.forEach(
          line -> {
            Matcher matcher = coordinates.matcher(line);
            if (matcher.find()) {
              bundled.add(matcher.group(1).replaceFirst("^(software.amazon.awssdk):.*", "$1:*"));
            }
          });
    }
    Set<String> named =
        Pattern.compile("^\\| `([^`]+)`", Pattern.MULTILINE)
            .matcher(text("META-INF/THIRD-PARTY.md"))
            .results()
            .map(result -> result.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(named).isNotEmpty().isEqualTo(bundled);
  }

  @Test
  void staysSmallEnoughToShipWithEveryJob() throws IOException {
    assertThat(Files.size(JAR)).isBetween(5_000_000L, 40_000_000L);
  }

  private static List<String> names() {
    return jar.stream()
        .filter(entry -> !entry.isDirectory())
        .map(ZipEntry::getName)
        .collect(Collectors.toList());
  }

  private static String text(String name) throws IOException {
    try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private interface ConstantVisitor {
    void visit(String className, String constant);
  }

  /** Every UTF-8 constant of every class: names of types, descriptors, strings. */
  private static void forEachClass(
      java.util.function.Predicate<String> wanted, ConstantVisitor visitor) {
    jar.stream()
        .filter(entry -> entry.getName().endsWith(".class") && wanted.test(entry.getName()))
        .forEach(
            entry -> {
              try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
                for (String constant : constants(in)) {
                  visitor.visit(entry.getName(), constant);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(entry.getName(), e);
              }
            });
  }

  /** Reads the constant pool, The Java Virtual Machine Specification 4.4. */
  private static List<String> constants(DataInputStream in) throws IOException {
    in.skipNBytes(8);
    int count = in.readUnsignedShort();
    List<String> constants = new ArrayList<>();
    for (int index = 1; index < count; index++) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case 1 -> constants.add(in.readUTF());
        case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
        case 5, 6 -> {
          in.skipNBytes(8);
          index++; // long and double take two places
        }
        case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
        case 15 -> in.skipNBytes(3);
        default -> throw new IOException("constant pool tag " + tag);
      }
    }
    return constants;
  }
}
