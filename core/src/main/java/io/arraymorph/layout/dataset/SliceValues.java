package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.CoordinateIndex;
import io.arraymorph.array.CoordinateIndex.Comparison;
import io.arraymorph.array.CoordinateIndex.Order;
import io.arraymorph.array.IndexSet;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.dataset.SliceTerm.Piece;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A range of coordinate values: {@code low:high} with both ends included, or one value.
 *
 * <p>Numbers have the type of the coordinate ({@code 0.1} along binary32 is the binary32 nearest to
 * it). A date that stops early means its whole period, at either end. As with xarray, a range of
 * numbers or texts runs in the order of the axis ({@code :0} along a descending coordinate is all
 * down to 0) and a range of dates in that of time. Along a descending coordinate two ends may be
 * given in either order, where xarray answers one of them with nothing.
 */
final class SliceValues {
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d{1,3})?");
  private static final Pattern NOT_FINITE = Pattern.compile("(?i)[+-]?inf(?:inity)?|nan");

  private final String text;
  private final SliceTerm term;
  private final Dimension dimension;

  /** The values that a literal stands for: all from {@code first} to {@code last}. */
  private record Period(Object first, Object last) {}

  /** One end of a range: a period, or open. */
  private record End(Optional<Period> period) {}

  /** A reading of the range: one value ({@code high} absent) or two ends, each maybe open. */
  private record Reading(Optional<Period> low, Optional<Period> high, boolean isSingle) {}

  SliceValues(String text, SliceTerm term, Dimension dimension) {
    this.text = text;
    this.term = term;
    this.dimension = dimension;
  }

  IndexSet indices() {
    Reading reading = reading();
    CoordinateIndex index = dimension.index();
    if (reading.isSingle()) {
      IndexSet found = between(index, reading.low(), reading.low());
      if (found.isEmpty()) {
        throw SliceParser.invalid(
            text,
            term.pieces().get(0).at(),
            "no value of '" + dimension.name() + "' equals " + written(0, term.pieces().size()),
            "Give a range low:high, or a position with @");
      }
      return found;
    }
    boolean descends = index.order() == Order.DESCENDING;
    // A range of numbers runs in the order of the axis, one of dates in that of time, as in xarray.
    boolean isReversed = descends && !isDate();
    Optional<Period> low = isReversed ? reading.high() : reading.low();
    Optional<Period> high = isReversed ? reading.low() : reading.high();
    IndexSet found = between(index, low, high);
    boolean mayBeSwapped = descends && low.isPresent() && high.isPresent();
    return found.isEmpty() && mayBeSwapped ? between(index, high, low) : found;
  }

  private IndexSet between(CoordinateIndex index, Optional<Period> low, Optional<Period> high) {
    IndexSet found = index.isNotNull();
    if (low.isPresent()) {
      found = found.intersect(index.where(Comparison.GE, low.get().first()));
    }
    if (high.isPresent()) {
      found = found.intersect(index.where(Comparison.LE, high.get().last()));
    }
    return found;
  }

  /** The one way to read the pieces as a value or two: dates have colons of their own. */
  private Reading reading() {
    List<Reading> readings = new ArrayList<>();
    int count = term.pieces().size();
    single().ifPresent(readings::add);
    for (int split = 1; split < count; split++) {
      Optional<End> low = end(0, split);
      Optional<End> high = end(split, count);
      if (low.isPresent() && high.isPresent()) {
        readings.add(new Reading(low.get().period(), high.get().period(), false));
      }
    }
    if (readings.size() != 1) {
      throw notUnderstood(readings.size());
    }
    return readings.get(0);
  }

  private Optional<Reading> single() {
    int count = term.pieces().size();
    // A text with a colon is a range unless it is quoted.
    if (count > 1 && !isDate()) {
      return Optional.empty();
    }
    return end(0, count)
        .filter(end -> end.period().isPresent())
        .map(end -> new Reading(end.period(), Optional.empty(), true));
  }

  private boolean isDate() {
    Scalar type = dimension.type();
    return type == Scalar.TIMESTAMP
        || type == Scalar.TIMESTAMP_NTZ
        || dimension.coordinate().filter(c -> c.decoding().isCalendarText()).isPresent();
  }

  /** One end of the range; nothing if the pieces cannot be read so. */
  private Optional<End> end(int from, int to) {
    List<Piece> pieces = term.pieces().subList(from, to);
    if (pieces.size() == 1 && pieces.get(0).isBlank()) {
      return Optional.of(new End(Optional.empty()));
    }
    if (pieces.size() > 1 && (!isDate() || pieces.stream().anyMatch(Piece::isQuoted))) {
      return Optional.empty();
    }
    return period(written(from, to)).map(period -> new End(Optional.of(period)));
  }

  private String written(int from, int to) {
    return String.join(":", term.pieces().subList(from, to).stream().map(Piece::text).toList());
  }

  private Optional<Period> period(String literal) {
    switch (dimension.type()) {
      case TIMESTAMP:
      case TIMESTAMP_NTZ:
        return DateLiteral.parse(literal)
            .map(date -> new Period(date.firstMicros(), date.lastMicros()));
      case STRING:
        if (isDate()) {
          // In its own calendar; dates that start with the literal belong to it.
          String from = literal.replace(' ', 'T');
          return DateLiteral.hasForm(literal)
              ? Optional.of(new Period(from, from + Character.MAX_VALUE))
              : Optional.empty();
        }
        return Optional.of(new Period(literal, literal));
      case BOOLEAN:
        return literal.equals("true") || literal.equals("false")
            ? same(Boolean.valueOf(literal))
            : Optional.empty();
      case BINARY:
      case DAY_TIME_INTERVAL:
        throw SliceParser.invalid(
            text,
            term.at(),
            "values of type " + dimension.type() + " cannot be written in a slice",
            "Give positions with @");
      default:
        return number(literal);
    }
  }

  private Optional<Period> number(String literal) {
    boolean isFinite = NUMBER.matcher(literal).matches();
    boolean isFloat = dimension.type() == Scalar.FLOAT || dimension.type() == Scalar.DOUBLE;
    if (!isFinite && !(isFloat && NOT_FINITE.matcher(literal).matches())) {
      return Optional.empty();
    }
    if (!isFloat) {
      return same(new BigDecimal(literal));
    }
    String number = isFinite ? literal : javaName(literal.toLowerCase(Locale.ROOT));
    return dimension.type() == Scalar.FLOAT
        ? same((double) Float.parseFloat(number))
        : same(Double.parseDouble(number));
  }

  private static String javaName(String literal) {
    if (literal.equals("nan")) {
      return "NaN";
    }
    return literal.startsWith("-") ? "-Infinity" : "Infinity";
  }

  private static Optional<Period> same(Object value) {
    return Optional.of(new Period(value, value));
  }

  private ArrayMorphException notUnderstood(int readings) {
    String range = written(0, term.pieces().size());
    String problem =
        readings > 1
            ? "'" + range + "' can be read in several ways"
            : "'" + range + "' is no range of " + described() + " along '" + dimension.name() + "'";
    String remedy =
        term.pieces().size() == 3 && !isDate() && dimension.type() != Scalar.STRING
            ? "Steps need positions: " + term.dimension() + "=@start:stop:step"
            : "Write low:high, texts with colons in single quotes, or positions with @";
    return SliceParser.invalid(text, term.pieces().get(0).at(), problem, remedy);
  }

  private String described() {
    if (isDate()) {
      return "dates like 2020-07-01T12:00";
    }
    switch (dimension.type()) {
      case STRING:
        return "texts";
      case BOOLEAN:
        return "true and false";
      default:
        return "numbers";
    }
  }
}
