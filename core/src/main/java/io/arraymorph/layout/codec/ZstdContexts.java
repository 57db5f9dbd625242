package io.arraymorph.layout.codec;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Native memory in which zstd decompresses, used again by all threads of this process: to get and
 * clear it takes more than half as long as to decompress a chunk of 16 KiB.
 *
 * <p>As many contexts are kept as threads can decompress at once, about 100 KiB each. Thread-safe.
 */
final class ZstdContexts {
  private static final BlockingQueue<ZstdDecompressCtx> IDLE =
      new ArrayBlockingQueue<>(2 * Runtime.getRuntime().availableProcessors());

  private ZstdContexts() {}

  /**
   * Decompresses all frames; the number of bytes written.
   *
   * @throws ZstdException if the frames are not whole or right, or hold more
   */
  static int decompress(ByteSpan encoded, byte[] target, int offset, int length) {
    ZstdDecompressCtx idle = IDLE.poll();
    ZstdDecompressCtx context = idle != null ? idle : new ZstdDecompressCtx();
    boolean keep = false;
    try {
      int written =
          context.decompressByteArray(
              target, offset, length, encoded.array(), encoded.offset(), encoded.length());
      keep = true;
      return written;
    } finally {
      // One in which decompression failed is not trusted with other frames.
      if (!keep || !IDLE.offer(context)) {
        context.close();
      }
    }
  }
}
