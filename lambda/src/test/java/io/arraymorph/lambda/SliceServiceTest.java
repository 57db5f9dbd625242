package io.arraymorph.lambda;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.store.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an adapter of a cloud calls: a request in, an answer out, no server. */
class SliceServiceTest {
  private final ExecutorService workers = Executors.newCachedThreadPool();
  private final HeapBudget heap = new HeapBudget(1 << 20, Duration.ofMillis(50));
  @TempDir private Path folder;

  @AfterEach
  void stop() {
    workers.shutdownNow();
  }

  private SliceService.Reply answer(String body) {
    SliceService service =
        new SliceService(
            List.of("file://" + folder), StoreConfig.empty(), SliceLimits.DEFAULT, workers);
    try (HeapBudget.Lease memory = heap.lease()) {
      return service.answer(body.getBytes(UTF_8), memory);
    }
  }

  @Test
  void aRequestIsAnsweredWithoutAServer() throws IOException {
    Files.write(folder.resolve("raw"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    String object = "\"object\":\"file://" + folder + "/raw\"";
    SliceService.Reply one = answer("{\"arraymorph_slice\":1," + object + ",\"runs\":[[1,2,2,4]]}");
    assertThat(one.status()).isEqualTo(200);
    assertThat(one.body()).containsExactly(new byte[] {2, 3, 6, 7});
    assertThat(one.length()).isEqualTo(4);
    CRC32C crc = new CRC32C();
    crc.update(new byte[] {2, 3, 6, 7});
    assertThat(one.headers())
        .containsEntry(SliceProtocol.CRC_HEADER, Long.toHexString(crc.getValue()))
        .containsEntry(SliceProtocol.SIZE_HEADER, "8");
    String none = "{\"object\":\"file://" + folder + "/none\",\"runs\":[[0,1]]}";
    SliceService.Reply several =
        answer(
            "{\"arraymorph_slice\":2,\"slices\":[" + none + ",{" + object + ",\"runs\":[[7,1]]}]}");
    assertThat(several.status()).isEqualTo(200);
    assertThat(several.body()).containsExactly(new byte[] {8});
    assertThat(several.headers().get(SliceProtocol.VERSIONS_HEADER)).startsWith("[null,[\"");
    assertThat(heap.free()).isEqualTo(1 << 20);
  }

  @Test
  void everyFailureIsARefusal() throws IOException {
    Files.write(folder.resolve("big"), new byte[2 << 20]);
    String big = "{\"arraymorph_slice\":1,\"object\":\"file://" + folder + "/big\",\"runs\":";
    assertThat(answer("nonsense").status()).isEqualTo(400);
    assertThat(answer(big + "[[5000000,1]]}").status()).isEqualTo(422);
    SliceService.Reply refused = answer(big + "[[0,1048000]]}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.headers()).containsEntry(SliceProtocol.CODE_HEADER, "TOO_LARGE");
    try (HeapBudget.Lease other = heap.lease()) {
      other.take("all", 1 << 20);
      assertThat(answer(big + "[[0,1]]}").headers())
          .containsEntry(SliceProtocol.CODE_HEADER, "BUSY");
    }
    assertThat(answer(big.replace(folder.toString(), "/etc") + "[[0,1]]}").status()).isEqualTo(403);
    assertThat(heap.free()).isEqualTo(1 << 20);
  }
}
