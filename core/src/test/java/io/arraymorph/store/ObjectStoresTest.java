package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectStoresTest {
  @TempDir Path directory;

  @Test
  void plainPathsAndFileUrisAreTheSame() {
    String path = directory.resolve("a b%20c.zarr").toString();
    StorePath plain = ObjectStores.open(path, StoreConfig.empty());
    for (String text : List.of("file:" + path, "file://" + path, "FILE:" + path, path + "//")) {
      assertThat(ObjectStores.open(text, StoreConfig.empty())).isEqualTo(plain);
    }
    assertThat(plain.toString()).isEqualTo("file://" + path);
    assertThat(plain.name()).isEqualTo("a b%20c.zarr");
    assertThat(ObjectStores.open("x/../y", StoreConfig.empty()).toString())
        .isEqualTo("file://" + Path.of("y").toAbsolutePath());
    plain.store().close();
    assertThat(plain.store().list(plain.key(), "", "").join().objects()).isEmpty();
  }

  @Test
  void whatCannotBeOpenedIsExplained() {
    for (String text : List.of("", " ", "nosuch://b/k", "file://host/x", "s3a://b/../k")) {
      assertThatThrownBy(() -> ObjectStores.open(text, StoreConfig.empty()))
          .as(text)
          .isInstanceOfSatisfying(
              ArrayMorphException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_URI));
    }
    assertThatThrownBy(() -> ObjectStores.open("nosuch://bucket/key", StoreConfig.empty()))
        .hasMessageContaining("'nosuch'")
        .hasMessageContaining("s3a://");
  }

  @Test
  void credentialsInUrisAreRefusedAndNotRepeated() {
    List<String> texts =
        List.of(
            "s3a://KEY:SECRET@bucket/a",
            "s3a://SECRET@bucket/a",
            "abfss://container:SECRET@account.dfs.core.windows.net/a",
            "abfss://container@account.dfs.core.windows.net/a?sv=2020&sig=SECRET",
            "s3://bucket/a?X-Amz-Signature=SECRET");
    for (String text : texts) {
      assertThatThrownBy(() -> ObjectStores.open(text, StoreConfig.empty()))
          .as(text)
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("credentials")
          .hasMessageNotContaining("SECRET");
    }
  }

  @Test
  void otherSchemesAreOpenedByProvidersAndShared() {
    String root = RegisteredStores.register(new MemoryObjectStore("shared"));
    StorePath path = ObjectStores.open(root + "/a/b%20c/", StoreConfig.empty());
    assertThat(path.key()).isEqualTo("a/b%20c");
    assertThat(path.store().uri()).isEqualTo("memory://shared");
    assertThat(ObjectStores.open(root, StoreConfig.empty()).store()).isSameAs(path.store());
    StoreConfig other = StoreConfig.of(Map.of("fs.s3a.access.key", "other"));
    assertThat(ObjectStores.open(root, other).store()).isNotSameAs(path.store());
    path.store().close();
    assertThat(path.store().list("", "", "").join().objects()).isEmpty();
  }
}
