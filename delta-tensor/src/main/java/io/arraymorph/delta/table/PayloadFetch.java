package io.arraymorph.delta.table;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * The payloads of some rows of a file, asked for ahead and in parallel, and decoded as they are
 * taken. Thread-safe; several threads may take different rows.
 *
 * <p>No more than {@link #WINDOW} bytes are on their way or undecoded, unless one request has more:
 * what is needed first comes first, not everything at last, and memory stays bounded.
 */
final class PayloadFetch {
  /** Neighbouring pages are fetched together up to this, so that large reads go in parallel. */
  private static final long LARGEST_REQUEST = 4 << 20;

  private static final long WINDOW = 32 << 20;

  /**
   * The window before anything was decoded: requests that are sent together share the network, so
   * that with few of them the first is answered early, and decoding begins.
   */
  private static final long FIRST_WINDOW = 8 << 20;

  /** The same of a request, where so much is read that a few requests more do not matter. */
  private static final long FIRST_REQUEST = 1 << 20;

  private final ObjectStore store;
  private final FileIndex index;
  private final int[] rows;
  private final PayloadPage[] positionPages;
  private final PayloadPage[] valuePages;
  private final Queue<Request> waiting = new ArrayDeque<>();
  private long window = FIRST_WINDOW;
  private long undecoded;

  /**
   * A page that is wanted.
   *
   * @param row the first of the rows that it is wanted for
   */
  private record Wanted(PayloadPages.Chunk chunk, int number, int row) {
    long start() {
      return chunk.offsets()[number];
    }

    long end() {
      return start() + chunk.sizes()[number];
    }
  }

  /** Some pages that are fetched together. */
  private final class Request implements PayloadPage.Source {
    private final long start;
    private final long end;
    private int pages;
    private CompletableFuture<ObjectBytes> answer;

    Request(List<Wanted> pages) {
      this.start = pages.get(0).start();
      this.end = pages.get(pages.size() - 1).end();
      this.pages = pages.size();
    }

    @Override
    public ObjectBytes await() {
      CompletableFuture<ObjectBytes> sent;
      synchronized (waiting) {
        send(this);
        sent = answer;
      }
      return StoreAnswers.await(sent);
    }

    @Override
    public void decoded() {
      synchronized (waiting) {
        if (--pages == 0) {
          answer = null;
          undecoded -= end - start;
          window = Math.min(WINDOW, window + 2 * (end - start));
          sendAhead();
        }
      }
    }
  }

  /**
   * Sends the first requests.
   *
   * @param rows ascending
   * @param positions false if no row has positions, whose column is then not fetched
   * @param gap bytes between pages that are read along rather than paid with another request
   */
  PayloadFetch(
      ObjectStore store,
      FileIndex index,
      PayloadPages pages,
      int[] rows,
      boolean positions,
      long gap) {
    this.store = store;
    this.index = index;
    this.rows = rows;
    List<Wanted> ofPositions = wanted(positions ? pages.positions() : List.of(), rows);
    List<Wanted> ofValues = wanted(pages.values(), rows);
    List<Wanted> all = new ArrayList<>();
    distinct(ofPositions, all);
    distinct(ofValues, all);
    all.sort(Comparator.comparingLong(Wanted::start));
    Map<Wanted, PayloadPage> fetched = new HashMap<>();
    Map<Request, Integer> firstRows = new HashMap<>();
    long bytes = all.stream().mapToLong(page -> page.end() - page.start()).sum();
    long early = bytes > WINDOW ? FIRST_WINDOW : 0;
    for (int from = 0; from < all.size(); ) {
      int to = from + 1;
      long most = early > 0 ? FIRST_REQUEST : LARGEST_REQUEST;
      while (to < all.size()
          && all.get(to).start() - all.get(to - 1).end() <= gap
          && all.get(to).end() - all.get(from).start() <= most) {
        to++;
      }
      early -= all.get(to - 1).end() - all.get(from).start();
      List<Wanted> together = all.subList(from, to);
      Request request = new Request(together);
      for (Wanted page : together) {
        fetched.put(page, new PayloadPage(page.chunk(), page.number(), request));
        firstRows.merge(request, page.row(), Math::min);
      }
      from = to;
    }
    this.positionPages = pages(ofPositions, fetched);
    this.valuePages = pages(ofValues, fetched);
    synchronized (waiting) {
      firstRows.keySet().stream()
          .sorted(
              Comparator.comparingInt((Request r) -> firstRows.get(r))
                  .thenComparingLong(r -> r.start))
          .forEach(waiting::add);
      sendAhead();
    }
  }

  private static PayloadPage[] pages(List<Wanted> wanted, Map<Wanted, PayloadPage> fetched) {
    PayloadPage[] pages = wanted.stream().map(fetched::get).toArray(PayloadPage[]::new);
    for (PayloadPage page : pages) {
      page.expectValue();
    }
    return pages;
  }

  private void sendAhead() {
    while (!waiting.isEmpty() && undecoded < window) {
      send(waiting.remove());
    }
  }

  private void send(Request request) {
    if (request.answer == null) {
      waiting.remove(request);
      undecoded += request.end - request.start;
      request.answer =
          store.get(
              index.file().key(), ByteRange.of(request.start, request.end), index.tail().version());
    }
  }

  /** The page of each row; none where the column is not in the file. */
  @SuppressWarnings("ReferenceEquality") // The same object is meant.
  private static List<Wanted> wanted(List<PayloadPages.Chunk> chunks, int[] rows) {
    List<Wanted> wanted = new ArrayList<>();
    int c = 0;
    Wanted last = null;
    for (int row : rows) {
      while (c < chunks.size() && chunks.get(c).page(row) < 0) {
        c++;
      }
      if (c < chunks.size()) {
        int page = chunks.get(c).page(row);
        if (last == null || last.chunk() != chunks.get(c) || last.number() != page) {
          last = new Wanted(chunks.get(c), page, row);
        }
        wanted.add(last);
      }
    }
    return wanted;
  }

  @SuppressWarnings("ReferenceEquality") // The same object is meant.
  private static void distinct(List<Wanted> pages, List<Wanted> into) {
    Wanted last = null;
    for (Wanted page : pages) {
      if (page != last) {
        into.add(page);
      }
      last = page;
    }
  }

  /** The positions of the i-th row, taken once; empty where NULL. */
  byte[] positions(int i) throws IOException {
    return positionPages.length == 0 ? new byte[0] : positionPages[i].value(rows[i]);
  }

  /** Makes something of the values of the i-th row, taken once; empty where NULL. */
  <T> T values(int i, PayloadPage.Use<T> use) throws IOException {
    return valuePages.length == 0 ? use.take(new byte[0], 0, 0) : valuePages[i].value(rows[i], use);
  }

  /** The values of the i-th row, taken once; empty where NULL. */
  byte[] values(int i) throws IOException {
    return valuePages.length == 0 ? new byte[0] : valuePages[i].value(rows[i]);
  }
}
