package io.arraymorph.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A vendor's SDK costs nothing until a URI of its scheme is opened. */
class SdkLoadingTest {
  private static final Path JAR = Path.of(System.getProperty("arraymorph.jar"));
  private static final Map<String, String> SDKS =
      Map.of(
          "s3a", "io.arraymorph.shaded.software.amazon.",
          "abfss", "io.arraymorph.shaded.com.azure.",
          "gs", "io.arraymorph.shaded.com.google.auth.");

  @ParameterizedTest
  @CsvSource({
    "file,/no/such/array",
    "s3a,s3a://bucket/key",
    "abfss,abfss://container@account.dfs.core.windows.net/key",
    "gs,gs://bucket/key"
  })
  void opensAUriWithItsOwnSdkAlone(String scheme, String uri) throws Exception {
    try (RecordingLoader loader = new RecordingLoader(JAR.toUri().toURL())) {
      Class<?> config = loader.loadClass("io.arraymorph.store.StoreConfig");
      Object settings =
          config
              .getMethod("of", Map.class)
              .invoke(
                  null,
                  Map.of(
                      "fs.s3a.access.key", "a",
                      "fs.s3a.secret.key", "b",
                      "fs.azure.account.key", "a2V5"));
      Method open =
          loader
              .loadClass("io.arraymorph.store.ObjectStores")
              .getMethod("open", String.class, config);
      assertThat(open.invoke(null, uri, settings)).isNotNull();
      SDKS.forEach(
          (other, packages) -> {
            if (other.equals(scheme)) {
              assertThat(loader.loaded).anyMatch(name -> name.startsWith(packages));
            } else {
              assertThat(loader.loaded).noneMatch(name -> name.startsWith(packages));
            }
          });
    }
  }

  /** Loads what the jar has from the jar, whatever its parent has, and notes it. */
  private static final class RecordingLoader extends URLClassLoader {
    final Set<String> loaded = ConcurrentHashMap.newKeySet();

    RecordingLoader(URL jar) {
      super(new URL[] {jar}, SdkLoadingTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("io.arraymorph.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> type = findLoadedClass(name);
        if (type == null) {
          type = findClass(name);
          loaded.add(name);
        }
        return type;
      }
    }

    @Override
    public URL getResource(String name) {
      URL found = findResource(name);
      return found == null ? super.getResource(name) : found;
    }

    @Override
    public java.util.Enumeration<URL> getResources(String name) throws IOException {
      return name.startsWith("META-INF/services/io.arraymorph.")
          ? findResources(name)
          : super.getResources(name);
    }
  }
}
