package io.arraymorph.delta.table;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The payloads of some rows of a file, asked for ahead and in parallel, and decoded as they are
 * taken. Thread-safe; several threads may take different rows.
 */
final class PayloadFetch {
  /** Neighbouring pages are fetched together up to this, so that large reads go in parallel. */
  private static final long LARGEST_REQUEST = 4 << 20;

  /** The same for the first ones, where so much is read that a few more do not matter. */
  private static final long FIRST_REQUEST = 1 << 20;

  private final FetchWindow window;
  private final int[] rows;
  private final PayloadPage[] positionPages;
  private final PayloadPage[] valuePages;

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
    private final FetchWindow.Request request;
    private int pages;

    Request(FetchWindow.Request request, int pages) {
      this.request = request;
      this.pages = pages;
    }

    @Override
    public ObjectBytes await() {
      return StoreAnswers.await(window.answer(request));
    }

    @Override
    public void decoded() {
      boolean last;
      synchronized (this) {
        last = --pages == 0;
      }
      if (last) {
        window.decoded(request);
      }
    }
  }

  /**
   * Sends the first requests, as far as the window has room.
   *
   * @param rows ascending
   * @param positions false if no row has positions, whose column is then not fetched
   * @param gap bytes between pages that are read along rather than paid with another request
   * @param window of this and other fetches
   */
  PayloadFetch(
      ObjectStore store,
      FileIndex index,
      PayloadPages pages,
      int[] rows,
      boolean positions,
      long gap,
      FetchWindow window) {
    this.window = window;
    this.rows = rows;
    List<Wanted> ofPositions = wanted(positions ? pages.positions() : List.of(), rows);
    List<Wanted> ofValues = wanted(pages.values(), rows);
    List<Wanted> all = new ArrayList<>();
    distinct(ofPositions, all);
    distinct(ofValues, all);
    all.sort(Comparator.comparingLong(Wanted::start));
    Map<Wanted, PayloadPage> fetched = new HashMap<>();
    Map<FetchWindow.Request, Integer> firstRows = new LinkedHashMap<>();
    for (int from = 0; from < all.size(); ) {
      int to = from + 1;
      long most = window.isEarly() ? FIRST_REQUEST : LARGEST_REQUEST;
      while (to < all.size()
          && all.get(to).start() - all.get(to - 1).end() <= gap
          && all.get(to).end() - all.get(from).start() <= most) {
        to++;
      }
      List<Wanted> together = all.subList(from, to);
      FetchWindow.Request sent = request(store, index, together);
      Request request = new Request(sent, together.size());
      for (Wanted page : together) {
        fetched.put(page, new PayloadPage(page.chunk(), page.number(), request));
        firstRows.merge(sent, page.row(), Math::min);
      }
      from = to;
    }
    this.positionPages = pages(ofPositions, fetched);
    this.valuePages = pages(ofValues, fetched);
    // Stable: requests for the same row stay in the order of the file.
    window.add(
        firstRows.keySet().stream().sorted(Comparator.comparingInt(firstRows::get)).toList());
  }

  private FetchWindow.Request request(ObjectStore store, FileIndex index, List<Wanted> pages) {
    long start = pages.get(0).start();
    long end = pages.get(pages.size() - 1).end();
    window.spendEarly(end - start);
    return new FetchWindow.Request(
        end - start,
        () -> store.get(index.file().key(), ByteRange.of(start, end), index.tail().version()));
  }

  private static PayloadPage[] pages(List<Wanted> wanted, Map<Wanted, PayloadPage> fetched) {
    PayloadPage[] pages = wanted.stream().map(fetched::get).toArray(PayloadPage[]::new);
    for (PayloadPage page : pages) {
      page.expectValue();
    }
    return pages;
  }

  /** How many bytes the pages of the values of some rows have. */
  static long valueBytes(PayloadPages pages, int[] rows) {
    List<Wanted> distinct = new ArrayList<>();
    distinct(wanted(pages.values(), rows), distinct);
    return distinct.stream().mapToLong(page -> page.end() - page.start()).sum();
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
