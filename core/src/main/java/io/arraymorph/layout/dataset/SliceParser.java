package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.dataset.SliceTerm.Piece;
import java.util.ArrayList;
import java.util.List;

/** Splits a slice text into boxes, terms and pieces; texts in single quotes stay whole. */
final class SliceParser {
  private static final String EXAMPLE = "Write it like lat=40:50,lon=:20 or x=@0:100:4";
  private static final int LONGEST = 1 << 20;

  private final String text;
  private int at;

  SliceParser(String text) {
    this.text = text;
  }

  List<List<SliceTerm>> boxes() {
    if (text.length() > LONGEST) {
      throw invalid("...", 0, "it has " + text.length() + " characters", "Use at most " + LONGEST);
    }
    List<List<SliceTerm>> boxes = new ArrayList<>();
    do {
      List<SliceTerm> box = new ArrayList<>();
      do {
        box.add(term());
      } while (accept(','));
      boxes.add(box);
    } while (accept(';'));
    if (at < text.length()) {
      throw invalid(text, at, "'" + text.charAt(at) + "' is not expected", EXAMPLE);
    }
    return boxes;
  }

  private SliceTerm term() {
    skipBlanks();
    int start = at;
    Piece name = piece("=,;");
    if (name.text().isEmpty()) {
      throw invalid(text, start, "a dimension is missing", EXAMPLE);
    }
    if (!accept('=')) {
      throw invalid(text, at, "'=' is missing after '" + name.text() + "'", EXAMPLE);
    }
    skipBlanks();
    boolean isByPosition = accept('@');
    List<Piece> pieces = new ArrayList<>();
    do {
      pieces.add(piece(":,;"));
    } while (accept(':'));
    if (pieces.size() == 1 && pieces.get(0).isBlank()) {
      throw invalid(text, at, "the range of '" + name.text() + "' is missing", EXAMPLE);
    }
    return new SliceTerm(name.text(), start, isByPosition, List.copyOf(pieces));
  }

  private Piece piece(String ends) {
    skipBlanks();
    int start = at;
    if (at < text.length() && text.charAt(at) == '\'') {
      String quoted = quoted();
      skipBlanks();
      if (at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
        throw invalid(text, at, "text goes on after a quote", "Double a quote inside quotes");
      }
      return new Piece(quoted, start, true);
    }
    while (at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return new Piece(text.substring(start, at).strip(), start, false);
  }

  private String quoted() {
    int open = at++;
    StringBuilder content = new StringBuilder();
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != '\'') {
        content.append(c);
      } else if (at < text.length() && text.charAt(at) == '\'') {
        content.append(c);
        at++;
      } else {
        return content.toString();
      }
    }
    throw invalid(text, open, "the quote is not closed", "Close it with '");
  }

  private boolean accept(char c) {
    skipBlanks();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void skipBlanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  static ArrayMorphException invalid(String text, int at, String problem, String remedy) {
    return new ArrayMorphException(
        ErrorCode.INVALID_SLICE,
        "slice '" + text + "', character " + (at + 1) + ": " + problem,
        remedy);
  }
}
