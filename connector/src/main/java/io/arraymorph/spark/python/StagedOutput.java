package io.arraymorph.spark.python;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.optimizer.execute.StoredSink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.apache.spark.storage.StorageUtils;

/**
 * A little memory that is shared with a Python process, in slots, and a socket on which both say
 * whose a slot is: boxes of a result go to Python while others are still fetched.
 *
 * <p>A frame to Python is little-endian: the slot, the bytes in it and the rank (4 bytes each),
 * then start and stop of each dimension (8 bytes each); slot -1 says that all was put, -2 that the
 * work failed. Python answers with one byte, the slot, once it has copied it. The result as a whole
 * is Python's own memory. One result at a time; its parts may be put by several threads. Ends when
 * Python closes its socket.
 */
public final class StagedOutput implements AutoCloseable {
  // Not that of version 6, which a JVM may prefer: Python listens here.
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private static final int ALL_PUT = -1;
  private static final int FAILED = -2;
  private static final int MAX_SLOTS = 127;
  private static final byte CLOSED = -1;

  private final MappedByteBuffer memory;
  private final int slotBytes;
  private final SocketChannel socket;
  private final BlockingQueue<Byte> free = new LinkedBlockingQueue<>();
  // Shared: memory is written. Exclusive: it is unmapped.
  private final ReadWriteLock mapping = new ReentrantReadWriteLock();
  private boolean unmapped;

  private StagedOutput(MappedByteBuffer memory, int slotBytes, SocketChannel socket) {
    this.memory = memory;
    this.slotBytes = slotBytes;
    this.socket = socket;
  }

  /**
   * Maps a file and connects to the Python process that made it.
   *
   * @param file of {@code slots * slotBytes} bytes; may be deleted afterwards
   * @param slots at most 127
   * @param port on which Python listens at the loopback address
   * @param token what Python wants to be told first
   * @throws ArrayMorphException STORE_UNAVAILABLE if they are not on this machine
   */
  public static StagedOutput connect(
      String file, int slots, int slotBytes, int port, String token) {
    if (slots < 1 || slots > MAX_SLOTS) {
      throw new IllegalArgumentException(slots + " slots");
    }
    int bytes = Math.multiplyExact(slots, slotBytes);
    SocketChannel socket = null;
    try (FileChannel channel =
        FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (channel.size() < bytes) {
        throw new IOException("it has " + channel.size() + " bytes, " + bytes + " are needed");
      }
      socket = SocketChannel.open(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port));
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      writeFully(socket, ByteBuffer.wrap(token.getBytes(StandardCharsets.US_ASCII)));
      StagedOutput output =
          new StagedOutput(
              channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes), slotBytes, socket);
      for (byte slot = 0; slot < slots; slot++) {
        output.free.add(slot);
      }
      Thread listener = new Thread(output::listen, "arraymorph-staging-" + port);
      listener.setDaemon(true);
      listener.start();
      return output;
    } catch (IOException e) {
      closeQuietly(socket, e);
      throw new ArrayMorphException(
          ErrorCode.STORE_UNAVAILABLE,
          "memory for the result cannot be shared with Python: " + e.getMessage(),
          "Python and the driver's JVM must be on one machine, with one folder for temporary files",
          e);
    }
  }

  private static void closeQuietly(SocketChannel socket, Exception cause) {
    if (socket != null) {
      try {
        socket.close();
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
  }

  private static void writeFully(SocketChannel socket, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      socket.write(bytes);
    }
  }

  /** Takes back slots until Python hangs up. */
  private void listen() {
    ByteBuffer slots = ByteBuffer.allocate(MAX_SLOTS);
    try {
      while (socket.read(slots) >= 0) {
        for (slots.flip(); slots.hasRemaining(); ) {
          free.add(slots.get());
        }
        slots.clear();
      }
    } catch (IOException e) {
      // Closed on this side, or Python is gone: both are the end.
    } finally {
      close();
    }
  }

  /**
   * Gives packed elements to Python; waits while it has not copied earlier ones.
   *
   * @param place where they lie in the packed result
   * @throws ArrayMorphException CANCELLED if this thread is interrupted or Python is gone
   */
  void put(FixedWidthElements packed, Hyperslab place) {
    int width = packed.type().byteWidth();
    int from = packed.offset();
    for (Hyperslab part : place.divided(Math.max(1, slotBytes / width))) {
      int bytes = Math.toIntExact(part.elementCount() * width);
      put(packed.bytes(), from, bytes, part);
      from += bytes;
    }
  }

  /**
   * Gives bytes to Python, as those {@code [start, start + length)} of a result of one dimension.
   */
  void putBytes(byte[] bytes, int from, int length, long start) {
    for (int done = 0; done < length; ) {
      int count = Math.min(slotBytes, length - done);
      Hyperslab place = Hyperslab.box(new long[] {start + done}, new long[] {start + done + count});
      put(bytes, from + done, count, place);
      done += count;
    }
  }

  /**
   * Gives elements that are still stored to Python: they are read into the memory that is shared.
   *
   * @param width bytes of an element
   * @param place where they lie in the packed result
   */
  void put(StoredSink.StoredBytes stored, int width, Hyperslab place) {
    long from = 0;
    for (Hyperslab part : place.divided(Math.max(1, slotBytes / width))) {
      int bytes = Math.toIntExact(part.elementCount() * width);
      long start = from;
      put(bytes, part, slot -> stored.read(start, slot));
      from += bytes;
    }
  }

  private void put(byte[] bytes, int from, int length, Hyperslab place) {
    put(length, place, slot -> slot.put(bytes, from, length));
  }

  private void put(int length, Hyperslab place, Consumer<ByteBuffer> fill) {
    if (length > slotBytes) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "one element of " + length + " bytes",
          "Elements up to " + slotBytes + " bytes can be given to Python");
    }
    byte slot = takeSlot();
    mapping.readLock().lock();
    try {
      if (unmapped) {
        throw gone(null);
      }
      fill.accept(memory.slice(slot * slotBytes, length));
    } finally {
      mapping.readLock().unlock();
    }
    ByteBuffer frame = frame(slot, length, place.rank());
    place.ranges().forEach(range -> frame.putLong(range.start()).putLong(range.stop()));
    send(frame);
  }

  private byte takeSlot() {
    byte slot;
    try {
      slot = free.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ArrayMorphException(
          ErrorCode.CANCELLED, "the read was interrupted", "Read again", e);
    }
    if (slot == CLOSED) {
      free.add(CLOSED);
      throw gone(null);
    }
    return slot;
  }

  /** Says how the work ended; after the last put. Nobody to tell is no failure. */
  void end(boolean well) {
    try {
      send(frame(well ? ALL_PUT : FAILED, 0, 0));
    } catch (ArrayMorphException e) {
      close();
    }
  }

  private static ByteBuffer frame(int slot, int bytes, int rank) {
    return ByteBuffer.allocate(12 + 16 * rank)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(slot)
        .putInt(bytes)
        .putInt(rank);
  }

  private synchronized void send(ByteBuffer frame) {
    try {
      writeFully(socket, frame.flip());
    } catch (IOException e) {
      throw gone(e);
    }
  }

  private static ArrayMorphException gone(Throwable cause) {
    return new ArrayMorphException(
        ErrorCode.CANCELLED, "Python no longer waits for the values", "Read again", cause);
  }

  /** Hangs up and unmaps the memory; whoever waits for a slot fails. Idempotent. */
  @Override
  public void close() {
    try {
      // Python is told at once: a close takes effect only when the thread that reads has woken up.
      socket.shutdownOutput();
    } catch (IOException e) {
      // Nothing is lost: it is closed already, or Python is gone.
    }
    try {
      socket.close();
    } catch (IOException e) {
      // Nothing is lost: it carries no values.
    }
    free.add(CLOSED);
    mapping.writeLock().lock();
    try {
      if (!unmapped) {
        unmapped = true;
        StorageUtils.dispose(memory);
      }
    } finally {
      mapping.writeLock().unlock();
    }
  }
}
