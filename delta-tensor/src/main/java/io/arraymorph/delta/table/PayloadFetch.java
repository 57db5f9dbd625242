package io.arraymorph.delta.table;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The payloads of some rows of a file, asked for at once and in parallel, and decoded as they are
 * taken. Thread-safe; several threads may take different rows.
 */
final class PayloadFetch {
  /** Neighbouring pages are fetched together up to this, so that large reads go in parallel. */
  private static final long LARGEST_REQUEST = 4 << 20;

  private final int[] rows;
  private final PayloadPage[] positionPages;
  private final PayloadPage[] valuePages;
  private int released;

  /** A page that is wanted, in the order of the file. */
  private record Wanted(PayloadPages.Chunk chunk, int number) {
    long start() {
      return chunk.offsets()[number];
    }

    long end() {
      return start() + chunk.sizes()[number];
    }
  }

  /**
   * Sends the requests.
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
    this.rows = rows;
    List<Wanted> ofPositions = wanted(positions ? pages.positions() : List.of(), rows);
    List<Wanted> ofValues = wanted(pages.values(), rows);
    List<Wanted> all = new ArrayList<>();
    distinct(ofPositions, all);
    distinct(ofValues, all);
    all.sort((a, b) -> Long.compare(a.start(), b.start()));
    java.util.Map<Wanted, PayloadPage> fetched = new java.util.HashMap<>();
    for (int from = 0; from < all.size(); ) {
      int to = from + 1;
      while (to < all.size()
          && all.get(to).start() - all.get(to - 1).end() <= gap
          && all.get(to).end() - all.get(from).start() <= LARGEST_REQUEST) {
        to++;
      }
      CompletableFuture<ObjectBytes> answer =
          store.get(
              index.file().key(),
              ByteRange.of(all.get(from).start(), all.get(to - 1).end()),
              index.tail().version());
      for (Wanted page : all.subList(from, to)) {
        fetched.put(page, new PayloadPage(page.chunk(), page.number(), answer));
      }
      from = to;
    }
    this.positionPages = ofPositions.stream().map(fetched::get).toArray(PayloadPage[]::new);
    this.valuePages = ofValues.stream().map(fetched::get).toArray(PayloadPage[]::new);
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
          last = new Wanted(chunks.get(c), page);
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

  /** The positions of the i-th row; empty where NULL. */
  byte[] positions(int i) throws IOException {
    return positionPages.length == 0 ? new byte[0] : positionPages[i].value(rows[i]);
  }

  /** The values of the i-th row; empty where NULL. */
  byte[] values(int i) throws IOException {
    return valuePages.length == 0 ? new byte[0] : valuePages[i].value(rows[i]);
  }

  /** Forgets the pages that hold none of the rows from the i-th on. Called by one thread. */
  void release(int i) {
    for (; released < i; released++) {
      release(positionPages, released);
      release(valuePages, released);
    }
  }

  private static void release(PayloadPage[] pages, int i) {
    if (pages.length > 0 && (i + 1 == pages.length || pages[i + 1] != pages[i])) {
      pages[i].release();
      pages[i] = null;
    }
  }
}
