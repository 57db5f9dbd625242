package io.arraymorph.build;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which package may know which. Maven keeps modules apart, these rules keep packages apart. */
class PackageRulesTest {
  private static final Path ROOT = Path.of(System.getProperty("arraymorph.root"));
  private static final List<String> MODULES =
      List.of("core", "cloud", "optimizer", "delta-tensor", "connector", "lambda", "cli");
  private static final String[] SPARK = {"org.apache.spark..", "org.apache.arrow..", "scala.."};
  private static final String[] SDKS = {
    "software.amazon..", "com.azure..", "com.google..", "org.apache.http.."
  };

  /** What touches a disk, a network or a clock of one; {@code java.io.Serializable} does not. */
  private static final DescribedPredicate<JavaClass> DOES_IO =
      resideInAnyPackage(
              "java.nio.file..",
              "java.nio.channels..",
              "java.net..",
              "java.net.http..",
              "javax.net..")
          .or(
              describe(
                  "is a stream, file or reader of java.io",
                  type ->
                      type.getPackageName().equals("java.io")
                          && type.getSimpleName()
                              .matches(".*(Stream|File|Reader|Writer)|FileDescriptor|IOException")))
          .or(describe("is ObjectStore", type -> type.getSimpleName().equals("ObjectStore")));

  private static JavaClasses classes;

  @BeforeAll
  static void load() {
    classes =
        new ClassFileImporter()
            .importPaths(
                MODULES.stream()
                    .map(module -> ROOT.resolve(module).resolve("target/classes"))
                    .collect(Collectors.toList()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "array",
        "store",
        "layout",
        "cloud",
        "optimizer",
        "delta",
        "spark",
        "lambda",
        "cli"
      })
  void seesEveryPartOfTheProduct(String part) {
    assertThat(classes).anyMatch(type -> type.getPackageName().startsWith("io.arraymorph." + part));
  }

  @Test
  void arraysKnowNeitherStoresNorLayouts() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.arraymorph.array..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.arraymorph.store..", "io.arraymorph.layout.."));
  }

  @Test
  void storesKnowNeitherArraysNorLayouts() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.arraymorph.store..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.arraymorph.array..", "io.arraymorph.layout.."));
  }

  @Test
  void errorsKnowNothing() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.arraymorph")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.arraymorph.(*).."));
  }

  @Test
  void onlyTheConnectorKnowsSpark() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.arraymorph.spark..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SPARK));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("io.arraymorph.spark..", "io.arraymorph.delta.table..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.hadoop.."));
  }

  /** Parquet's writer has abstract methods that name Hadoop's Configuration; nothing else may. */
  @Test
  void tensorTablesKnowOfHadoopWhatParquetMakesThem() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.arraymorph.delta.table..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.spark..", "org.apache.arrow..", "scala..")
            .orShould()
            .dependOnClassesThat(
                resideInAPackage("org.apache.hadoop..")
                    .and(not(equivalentTo(org.apache.hadoop.conf.Configuration.class)))));
  }

  @Test
  void onlyCloudKnowsTheSdks() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.arraymorph.cloud..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SDKS));
  }

  @Test
  void storesAreFoundAndNotNamed() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage("io.arraymorph.optimizer..", "io.arraymorph.spark..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.arraymorph.cloud.."));
  }

  @Test
  void planningIsPure() {
    check(
        noClasses()
            .that(
                resideInAnyPackage(
                        "io.arraymorph.optimizer.plan..", "io.arraymorph.optimizer.cost..")
                    .or(resideInAPackage("io.arraymorph.array..")))
            .should()
            .dependOnClassesThat(DOES_IO));
  }

  @Test
  void planningDoesNotKnowItsExecution() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage("io.arraymorph.optimizer.plan..", "io.arraymorph.optimizer.cost..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.arraymorph.optimizer.execute..")
            .allowEmptyShould(true));
  }

  @Test
  void partsOfTheProductFormNoCycle() {
    check(slices().matching("io.arraymorph.(*)..").should().beFreeOfCycles());
  }

  @Test
  void partsOfAModuleFormNoCycle() {
    for (String module : List.of("optimizer", "spark", "cloud", "delta")) {
      check(
          slices()
              .matching("io.arraymorph." + module + ".(*)..")
              .should()
              .beFreeOfCycles()
              .allowEmptyShould(true));
    }
  }

  @Test
  void namesSayWhatAThingIs() {
    check(
        noClasses()
            .should()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils")
            .orShould()
            .haveSimpleNameEndingWith("Helper")
            .orShould()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameEndingWith("Impl"));
  }

  @Test
  void onlyTheCommandLinePrints() {
    NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(
        classes.that(
            describe(
                "outside the command line and the main class of the slice function",
                type ->
                    !type.getPackageName().endsWith(".cli")
                        && !type.getSimpleName().endsWith("Main"))));
  }

  private static void check(ArchRule rule) {
    rule.check(classes);
  }
}
