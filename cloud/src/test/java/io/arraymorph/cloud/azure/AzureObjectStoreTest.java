package io.arraymorph.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.blob.sas.BlobContainerSasPermission;
import com.azure.storage.blob.sas.BlobServiceSasSignatureValues;
import com.azure.storage.common.StorageSharedKeyCredential;
import io.arraymorph.loopback.Azurite;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ObjectStoreContract;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on Azurite; skipped where it is not installed ({@code am_emulators}). */
class AzureObjectStoreTest extends ObjectStoreContract {
  private static final String HOST = Azurite.HOST;
  private static final String KEY = Azurite.KEY;

  @TempDir static Path directory;
  private static Optional<Azurite> server = Optional.empty();
  private static int containers;

  private String container;

  @BeforeAll
  static void startServer() throws Exception {
    server = Azurite.start(directory);
    assumeTrue(server.isPresent(), "azurite-blob is not installed");
  }

  @AfterAll
  static void stopServer() {
    server.ifPresent(Azurite::close);
  }

  @Override
  protected ObjectStore open() throws IOException, InterruptedException {
    container = "container-" + containers++;
    server.orElseThrow().create(container);
    return reopen();
  }

  @Override
  protected ObjectStore reopen() {
    return store(Map.of("fs.azure.account.key." + HOST, KEY));
  }

  private AzureObjectStore store(Map<String, String> credentials) {
    Map<String, String> settings = new HashMap<>(credentials);
    settings.put(AzureSettings.ENDPOINT, server.orElseThrow().endpoint().toString());
    return new AzureObjectStore(
        "abfss://" + container + "@" + HOST,
        AzureSettings.of(container, HOST, StoreConfig.of(settings)));
  }

  @Override
  protected boolean signsUrls() {
    return true;
  }

  @Test
  void tagsTellWhoseWriteStands() {
    AzureObjectStore azure = (AzureObjectStore) store;
    String etag =
        azure.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.IF_ABSENT, "our-tag").join();
    assertThat(azure.findTagged("o", "our-tag").join()).isEqualTo(Optional.of(etag));
    assertThat(azure.findTagged("o", "other").join()).isEmpty();
    assertThat(azure.findTagged("absent", "our-tag").join()).isEmpty();
  }

  @Test
  void wrongKeysAreDeniedAndNotShown() {
    put("o", bytes("x"));
    String wrong = Base64.getEncoder().encodeToString(bytes("WRONG-SECRET"));
    for (Map<String, String> credentials :
        List.of(
            Map.of("fs.azure.account.key", wrong),
            Map.of("fs.azure.sas.fixed.token", "sv=2024-01-01&sig=" + wrong))) {
      try (AzureObjectStore denied = store(credentials)) {
        StoreException failure = failure(denied.get("o", ByteRange.WHOLE, ReadCondition.NONE));
        assertThat(failure.kind()).isEqualTo(Kind.DENIED);
        assertThat(failure.toUser().getMessage())
            .contains("ARRAYMORPH_ACCESS_DENIED", "/o")
            .doesNotContain(wrong);
        assertThat(failure(denied.list("", "", "")).kind()).isEqualTo(Kind.DENIED);
      }
    }
  }

  @Test
  void aSharedAccessSignatureIsEnoughAndNeverGivenAway() {
    put("o", bytes("x"));
    String signature =
        new BlobContainerClientBuilder()
            .endpoint(server.orElseThrow().endpoint().toString())
            .containerName(container)
            .credential(new StorageSharedKeyCredential(Azurite.ACCOUNT, KEY))
            .buildClient()
            .generateSas(
                new BlobServiceSasSignatureValues(
                    OffsetDateTime.now(ZoneOffset.UTC).plusHours(1),
                    BlobContainerSasPermission.parse("rl")));
    String ofContainer = "fs.azure.sas." + container + "." + HOST;
    for (String key : List.of("fs.azure.sas.fixed.token", ofContainer)) {
      try (AzureObjectStore shared = store(Map.of(key, "?" + signature))) {
        ObjectBytes read = shared.get("o", ByteRange.WHOLE, ReadCondition.NONE).join();
        assertThat(content(read)).isEqualTo(bytes("x"));
        assertThat(shared.list("", "", "").join().objects()).hasSize(1);
        StoreException failure =
            failure(shared.put("p", ByteBuffer.wrap(bytes("y")), WriteCondition.NONE));
        assertThat(failure.kind()).isEqualTo(Kind.DENIED);
        assertThat(failure.toString() + failure.getCause()).doesNotContain("sig=");
        assertThat(shared.presign("o", Duration.ofMinutes(1)).join()).isEmpty();
      }
    }
  }

  @Test
  void largeObjectsArePutWhole() {
    byte[] large = randomBytes(1, 100 << 20);
    store.put("large", ByteBuffer.wrap(large), WriteCondition.IF_ABSENT).join();
    assertThat(get("large", ByteRange.WHOLE).bytes()).isEqualTo(ByteBuffer.wrap(large));
    assertThat(failure(store.put("large", ByteBuffer.wrap(large), WriteCondition.IF_ABSENT)).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
  }

  @Test
  void aMissingContainerIsNotFound() {
    container = "no-such-container";
    try (ObjectStore none = reopen()) {
      assertThat(failure(none.get("o", ByteRange.WHOLE, ReadCondition.NONE)).kind())
          .isEqualTo(Kind.NOT_FOUND);
      assertThat(failure(none.list("", "", "")).kind()).isEqualTo(Kind.NOT_FOUND);
    }
  }

  @Test
  void aServerThatIsNotThereIsUnavailable() {
    endpointless(none -> assertThat(failure(none.head("o")).kind()).isEqualTo(Kind.UNAVAILABLE));
  }

  private static void endpointless(Consumer<ObjectStore> use) {
    Map<String, String> settings =
        Map.of(AzureSettings.ENDPOINT, "http://127.0.0.1:1/test", "fs.azure.account.key", KEY);
    try (ObjectStore none =
        new AzureObjectStore(
            "abfss://c@" + HOST, AzureSettings.of("c", HOST, StoreConfig.of(settings)))) {
      use.accept(none);
    }
  }
}
