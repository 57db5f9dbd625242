package io.arraymorph.layout.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BytesBytesCodecTest {
  private static final List<BytesBytesCodec> CODECS =
      List.of(
          new ZstdCodec(0, true),
          new ZstdCodec(9, false),
          new DeflateCodec(DeflateCodec.Wrapper.GZIP, 5),
          new DeflateCodec(DeflateCodec.Wrapper.GZIP, 0),
          new DeflateCodec(DeflateCodec.Wrapper.ZLIB, 1),
          new Lz4Codec(),
          ChecksumCodec.CRC32C,
          new JenkinsCodec(5),
          new ChecksumCodec("fletcher32", ChecksumCodec.Algorithm.FLETCHER32, false),
          new ChecksumCodec("adler32", ChecksumCodec.Algorithm.ADLER32, true),
          new ShuffleCodec(4),
          blosc(BloscCodec.Compressor.LZ4, BloscCodec.Shuffle.BYTE, 4, 0),
          blosc(BloscCodec.Compressor.LZ4, BloscCodec.Shuffle.BYTE, 8, 1000),
          blosc(BloscCodec.Compressor.LZ4HC, BloscCodec.Shuffle.BYTE, 3, 0),
          blosc(BloscCodec.Compressor.ZSTD, BloscCodec.Shuffle.BYTE, 2, 0),
          blosc(BloscCodec.Compressor.ZLIB, BloscCodec.Shuffle.NONE, 1, 256));

  private static BloscCodec blosc(
      BloscCodec.Compressor compressor, BloscCodec.Shuffle shuffle, int typeSize, int block) {
    return new BloscCodec(compressor, 5, shuffle, typeSize, block);
  }

  private static byte[] data(Random random, int length) {
    byte[] bytes = new byte[length];
    int kind = random.nextInt(3);
    for (int i = 0; i < length; i++) {
      bytes[i] =
          (byte) (kind == 0 ? random.nextInt() : kind == 1 ? i / 100 : i % 4 == 0 ? i / 64 : 0);
    }
    return bytes;
  }

  @Test
  void decodesWhatItEncoded() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Scratch scratch = new Scratch();
    for (int round = 0; round < 60; round++) {
      byte[] plain = data(random, random.nextInt(round % 10 == 0 ? 600_000 : 3000));
      for (BytesBytesCodec codec : CODECS) {
        ByteSpan encoded = codec.encode(ByteSpan.of(plain));
        SizeRange exact = SizeRange.exactly(plain.length);
        String what = codec + ", " + plain.length + " bytes, seed " + seed;
        codec.encodedSize(exact).check(what, encoded.length());
        if (!(codec instanceof ShuffleCodec) || plain.length % 4 == 0) {
          assertThat(codec.decode(encoded, exact).toArray()).as(what).isEqualTo(plain);
          assertThat(codec.decode(encoded, exact, scratch).toArray()).as(what).isEqualTo(plain);
        }
        SizeRange atMost = new SizeRange(0, 1 << 20);
        assertThat(codec.decode(encoded, atMost).length()).as(what).isEqualTo(plain.length);
      }
    }
  }

  @Test
  void refusesAnyOtherSizeAndAnyCut() {
    byte[] plain = data(new Random(1), 5000);
    for (BytesBytesCodec codec : CODECS) {
      ByteSpan encoded = codec.encode(ByteSpan.of(plain));
      if (!(codec instanceof ChecksumCodec)) { // whoever takes its result checks the size
        assertCorrupt(codec, encoded, 4999);
        assertCorrupt(codec, encoded, 5001);
      }
      for (int cut : new int[] {0, 1, 10, 20, encoded.length() / 2, encoded.length() - 1}) {
        assertCorrupt(codec, encoded.slice(0, cut), 5000);
      }
      if (!(codec instanceof ShuffleCodec)) {
        byte[] longer = Arrays.copyOf(encoded.toArray(), encoded.length() + 3);
        assertCorrupt(codec, ByteSpan.of(longer), 5000);
      }
    }
  }

  private static void assertCorrupt(BytesBytesCodec codec, ByteSpan encoded, int size) {
    assertThatThrownBy(() -> codec.decode(encoded, SizeRange.exactly(size)))
        .as("%s: %d bytes for %d", codec, encoded.length(), size)
        .isInstanceOf(CodecException.class);
  }

  @Test
  void takesNoMemoryForASizeThatDataCannotHave() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    byte[] plain = data(new Random(2), 2000);
    for (BytesBytesCodec codec : CODECS) {
      ByteSpan encoded = codec.encode(ByteSpan.of(plain));
      byte[] damaged = encoded.toArray().clone();
      damaged[damaged.length / 2] ^= 0x55;
      for (byte[] bytes : List.of(encoded.toArray(), damaged)) {
        long before = threads.getCurrentThreadAllocatedBytes();
        SizeRange huge = SizeRange.exactly(CodecLimits.MAX_CHUNK_BYTES);
        if (!(codec instanceof ChecksumCodec)) {
          assertThatThrownBy(() -> codec.decode(ByteSpan.of(bytes), huge))
              .isInstanceOf(CodecException.class);
        }
        try {
          codec.decode(ByteSpan.of(bytes), new SizeRange(4, CodecLimits.MAX_VARIABLE_CHUNK_BYTES));
        } catch (CodecException e) {
          assertThat(bytes).as("%s", codec).isSameAs(damaged);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
            .as("%s", codec)
            .isLessThan(300L << 20);
      }
    }
  }

  @Test
  void checksumsOfJenkinsAreThoseOfNumcodecs() {
    byte[] text = "Four score and seven years ago".getBytes(StandardCharsets.US_ASCII);
    assertThat(HexFormat.of().formatHex(new JenkinsCodec(0).encode(ByteSpan.of(text)).toArray()))
        .endsWith("51057717");
    assertThat(HexFormat.of().formatHex(new JenkinsCodec(7).encode(ByteSpan.of(text)).toArray()))
        .endsWith("7e0f1267");
    byte[] encoded = new JenkinsCodec(0).encode(ByteSpan.of(text)).toArray();
    encoded[3]++;
    assertThatThrownBy(
            () -> new JenkinsCodec(0).decode(ByteSpan.of(encoded), SizeRange.exactly(text.length)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("mismatch");
  }

  @Test
  void rawLzmaIsReadBehindDeltas() {
    byte[] plain = new byte[800];
    for (int i = 0; i < plain.length; i++) {
      plain[i] = (byte) (i % 40);
    }
    // Python's lzma.compress(.., FORMAT_RAW, filters=[delta of 4, LZMA2 with preset 1]).
    byte[] encoded =
        HexFormat.of().parseHex("e0031f00165d00000052500aa079ee75618b2b381c74fa888181d8d60000");
    RawLzmaCodec codec = new RawLzmaCodec(List.of(4), 1 << 20);
    SizeRange exact = SizeRange.exactly(plain.length);
    assertThat(codec.decode(ByteSpan.of(encoded), exact).toArray()).isEqualTo(plain);
    for (byte[] damaged :
        List.of(Arrays.copyOf(encoded, 20), Arrays.copyOf(encoded, encoded.length + 1))) {
      assertThatThrownBy(() -> codec.decode(ByteSpan.of(damaged), exact))
          .isInstanceOf(CodecException.class);
    }
    assertThatThrownBy(() -> codec.decode(ByteSpan.of(encoded), SizeRange.exactly(799)))
        .isInstanceOf(CodecException.class);
  }
}
