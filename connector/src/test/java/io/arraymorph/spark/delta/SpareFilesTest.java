package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpareFilesTest {
  private static final Path OWN = Path.of("/proc/self/fd");

  @TempDir Path folder;
  private final List<FileChannel> open = new ArrayList<>();

  @BeforeEach
  void needsLinuxsLinks() {
    Assumptions.assumeTrue(Files.isDirectory(OWN), "no " + OWN + " here");
  }

  @AfterEach
  void close() throws IOException {
    for (FileChannel file : open) {
      file.close();
    }
  }

  @Test
  void theShortestLongEnoughFits() throws IOException {
    SpareFiles spares = SpareFiles.of(spare(3_000_000, true) + "\n" + spare(2_000_000, true));
    assertThat(length(spares, 1_500_000)).isEqualTo(2_000_000);
    assertThat(length(spares, 2_000_000)).isEqualTo(2_000_000);
    assertThat(length(spares, 2_000_001)).isEqualTo(3_000_000);
  }

  @Test
  void theLongestGrowsIfNoneIsLongEnough() throws IOException {
    SpareFiles spares = SpareFiles.of(spare(2_000_000, true) + "\n" + spare(3_000_000, true));
    assertThat(length(spares, 9_000_000)).isEqualTo(3_000_000);
  }

  @Test
  void aSmallResultDoesNotHoldALargeFile() throws IOException {
    SpareFiles spares = SpareFiles.of(spare(9_000_000, true));
    assertThat(spares.fit(2_000_000)).isEmpty();
    assertThat(spares.fit(2_250_000)).isPresent();
  }

  @Test
  void noOtherFileIsTakenForASpareOne() throws IOException {
    assertThat(SpareFiles.of(spare(1_000_000, false)).fit(1_000_000)).isEmpty();
    String[] fields = spare(1_000_000, true).split(" ");
    assertThat(SpareFiles.of(fields[0] + " 1 " + fields[2]).fit(1_000_000)).isEmpty();
    assertThat(SpareFiles.of("/proc/self/fd/99999 1 1000000").fit(1_000_000)).isEmpty();
    Path named = Files.createFile(folder.resolve("named"));
    Object inode = Files.getAttribute(named, "unix:ino");
    assertThat(SpareFiles.of(named + " " + inode + " 1000000").fit(1_000_000)).isEmpty();
  }

  @Test
  void whatIsNoListOfFilesIsRefused() {
    assertThat(SpareFiles.of("").fit(1)).isEmpty();
    for (String line : List.of("/proc/self/fd/1", "/proc/self/fd/1 x 3", "a\u0000 1 1")) {
      assertThatThrownBy(() -> SpareFiles.of(line)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aResultIsWrittenIntoTheFileThatFits() throws IOException {
    String spare = spare(100_000, true);
    byte[] content = {1, 2, 3};
    Path written =
        ExchangeFile.write(3, SpareFiles.of(spare), out -> out.write(ByteBuffer.wrap(content), 0));
    assertThat(written).hasToString(spare.split(" ")[0]);
    assertThat(Files.readAllBytes(written)).startsWith(content).hasSize(100_000);
  }

  private static long length(SpareFiles spares, long size) throws IOException {
    return Files.size(spares.fit(size).orElseThrow().path());
  }

  /** A file as another process names it. */
  private String spare(int length, boolean unlinked) throws IOException {
    Path file = Files.createTempFile(folder, "spare", "");
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    open.add(channel);
    channel.write(ByteBuffer.allocate(1), length - 1);
    Object inode = Files.getAttribute(file, "unix:ino");
    if (unlinked) {
      Files.delete(file);
    }
    try (var links = Files.list(OWN)) {
      Path link = links.filter(l -> leadsTo(l, inode)).findFirst().orElseThrow();
      return link + " " + inode + " " + length;
    }
  }

  private static boolean leadsTo(Path link, Object inode) {
    try {
      return Files.getAttribute(link, "unix:ino").equals(inode);
    } catch (IOException e) {
      return false; // The folder's own, closed by now.
    }
  }
}
