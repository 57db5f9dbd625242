package io.arraymorph.layout.cf;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.layout.JsonTree;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How the stored elements of one array become the values of a column: widened to a column type, and
 * by the attributes of CF masked, scaled and dated.
 *
 * <ul>
 *   <li>{@code _FillValue} and {@code missing_value} (a number, text, base64 of xarray, or a list)
 *       are compared with the stored value and become NULL. NaN is NULL only if one of them is NaN.
 *       A type that is only masked stays as it is.
 *   <li>{@code scale_factor} and {@code add_offset}: DOUBLE, {@code raw * scale + offset} in
 *       binary64.
 *   <li>{@code _Unsigned} changes how integers are read.
 *   <li>{@code units .. since ..}: TIMESTAMP in the standard and proleptic Gregorian calendars,
 *       else the date as STRING in its own calendar. What cannot be decoded stays raw, with a
 *       warning.
 *   <li>{@code units: days} and the like with {@code dtype: timedelta64[..]} of xarray: durations.
 *   <li>{@code dtype: bool} of xarray: BOOLEAN. {@code valid_min} and the like change nothing.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 */
public final class CfDecoding {
  private static final int LONGEST_UNITS = 256;
  private static final String RAW = "null";
  private static final String FILL = "fill_value";
  private static final List<String> ATTRIBUTES =
      List.of(
          "_FillValue",
          "missing_value",
          "scale_factor",
          "add_offset",
          "units",
          "calendar",
          "_Unsigned",
          "dtype",
          "_Encoding");

  private final DataType dataType;
  private final ColumnType columnType;
  private final boolean signed;
  private final MissingValues missing;
  private final Scaling scaling;
  private final TimeUnits time;
  private final List<String> warnings;
  private final String attributesJson;
  private final String subject;

  private CfDecoding(
      DataType dataType,
      ColumnType columnType,
      boolean signed,
      MissingValues missing,
      Scaling scaling,
      TimeUnits time,
      List<String> warnings,
      String attributesJson,
      String subject) {
    this.dataType = dataType;
    this.columnType = columnType;
    this.signed = signed;
    this.missing = missing;
    this.scaling = scaling;
    this.time = time;
    this.warnings = List.copyOf(warnings);
    this.attributesJson = attributesJson;
    this.subject = subject;
  }

  /**
   * The decoding without attributes: values are only widened to their column type.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE for a type that no column can hold
   */
  public static CfDecoding raw(DataType type) {
    boolean signed = type instanceof DataType.Int && ((DataType.Int) type).signed();
    return new CfDecoding(
        type, ColumnType.of(type), signed, MissingValues.NONE, null, null, List.of(), RAW, "");
  }

  /**
   * The decoding that an array's attributes ask for.
   *
   * @param attributes the attributes, as parsed
   * @throws ArrayMorphException UNSUPPORTED_TYPE, or METADATA_INVALID if scale or offset is no
   *     number
   */
  public static CfDecoding of(DataType type, JsonNode attributes) {
    return of(type, attributes, Optional.empty());
  }

  /**
   * As above, with one more missing value in the form of the attributes: the array's fill value
   * where the user asks for it (option {@code v2-fill=missing}).
   */
  public static CfDecoding of(DataType type, JsonNode attributes, Optional<JsonNode> fill) {
    ObjectNode relevant = JsonNodeFactory.instance.objectNode();
    for (String name : ATTRIBUTES) {
      JsonNode value = attributes.path(name);
      if (!value.isMissingNode() && !value.isNull()) {
        relevant.set(name, value);
      }
    }
    fill.ifPresent(value -> relevant.set(FILL, value));
    return ofRelevant(type, relevant);
  }

  /**
   * The decoding that {@link #toJson} describes, for a process that has the array's type but not
   * its attributes.
   */
  public static CfDecoding parse(DataType type, String json) {
    if (json.equals(RAW)) {
      return raw(type);
    }
    try {
      return ofRelevant(type, (ObjectNode) JsonTree.parse(json));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not the JSON of a decoding: " + json, e);
    }
  }

  private static CfDecoding ofRelevant(DataType type, ObjectNode attributes) {
    List<String> warnings = new ArrayList<>();
    boolean signed =
        type instanceof DataType.Int
            && RawNumbers.isSigned((DataType.Int) type, attributes.path("_Unsigned").asText(""));
    List<JsonNode> missingAttributes = new ArrayList<>();
    for (String name : List.of("_FillValue", "missing_value", FILL)) {
      if (attributes.has(name)) {
        missingAttributes.add(attributes.get(name));
      }
    }
    MissingValues missing = MissingValues.of(type, signed, missingAttributes, warnings);
    Scaling scaling = null;
    TimeUnits time = null;
    ColumnType columnType = ColumnType.of(readType(type, signed));
    if (type instanceof DataType.Int || type instanceof DataType.Float) {
      scaling = Scaling.of(attributes);
      time = time(attributes, warnings);
      if (time != null) {
        columnType =
            TimeUnits.isSince(attributes.path("units").asText())
                ? time.calendar().isGregorian() ? Scalar.TIMESTAMP : Scalar.STRING
                : Scalar.DAY_TIME_INTERVAL;
      } else if (scaling != null) {
        columnType = Scalar.DOUBLE;
      } else if (isBooleanOfXarray(type, attributes)) {
        columnType = Scalar.BOOLEAN;
      }
    } else if (type instanceof DataType.NullTerminatedBytes && isText(attributes)) {
      columnType = Scalar.STRING;
    }
    return new CfDecoding(
        type, columnType, signed, missing, scaling, time, warnings, JsonTree.text(attributes), "");
  }

  private static boolean isBooleanOfXarray(DataType type, JsonNode attributes) {
    return type instanceof DataType.Int
        && ((DataType.Int) type).bits() == 8
        && attributes.path("dtype").asText("").equals("bool");
  }

  private static boolean isText(JsonNode attributes) {
    String encoding = attributes.path("_Encoding").asText("");
    return encoding.equalsIgnoreCase("utf-8") || encoding.equalsIgnoreCase("ascii");
  }

  private static DataType readType(DataType type, boolean signed) {
    return type instanceof DataType.Int
        ? new DataType.Int(((DataType.Int) type).bits(), signed)
        : type;
  }

  private static TimeUnits time(JsonNode attributes, List<String> warnings) {
    JsonNode units = attributes.path("units");
    if (!units.isTextual() || units.asText().length() > LONGEST_UNITS) {
      return null;
    }
    if (!TimeUnits.isSince(units.asText())) {
      boolean isDuration = attributes.path("dtype").asText("").startsWith("timedelta64");
      return isDuration ? TimeUnits.ofDuration(units.asText()).orElse(null) : null;
    }
    String name = attributes.path("calendar").asText("");
    Optional<TimeUnits> time = TimeUnits.parse(units.asText(), name);
    if (time.isEmpty()) {
      warnings.add(
          "units '"
              + units.asText()
              + "'"
              + (name.isEmpty() ? "" : " in calendar '" + name + "'")
              + " name no time that can be decoded; the values stay raw numbers");
    }
    return time.orElse(null);
  }

  /** This decoding, naming the array in its errors. */
  public CfDecoding named(String array) {
    return new CfDecoding(
        dataType, columnType, signed, missing, scaling, time, warnings, attributesJson, array);
  }

  /** What {@link #parse} makes this decoding from, with the type: a short JSON text. */
  public String toJson() {
    return attributesJson;
  }

  /** The type of the elements that {@link #decode} takes. */
  public DataType dataType() {
    return dataType;
  }

  /** The type of the column that {@link #decode} gives. */
  public ColumnType type() {
    return columnType;
  }

  /**
   * True if the stored little-endian elements are the column's values and none is NULL, so that
   * buffers pass through unchanged.
   */
  public boolean isIdentity() {
    return missing.isEmpty() && keepsBytes();
  }

  /**
   * True if values are the stored ones in the column type of the stored type: nothing is masked,
   * scaled, dated or read as another type.
   */
  public boolean isWideningOnly() {
    return missing.isEmpty()
        && scaling == null
        && time == null
        && columnType.equals(ColumnType.of(dataType));
  }

  /** True if some value may become NULL. */
  public boolean isNullable() {
    return !missing.isEmpty()
        || (time != null && (dataType instanceof DataType.Float || dataType.byteWidth() == 8))
        || dataType instanceof DataType.DateTime64
        || dataType instanceof DataType.TimeDelta64;
  }

  /** True if values are dates as STRING in a calendar that SQL does not have. */
  public boolean isCalendarText() {
    return time != null && columnType == Scalar.STRING;
  }

  /** What could not be decoded and stays raw, as sentences without full stop. */
  public List<String> warnings() {
    return warnings;
  }

  /**
   * The column of these elements, in their order. Buffers are shared where values stay as they are.
   *
   * @param raw elements of {@link #dataType()}
   * @throws ArrayMorphException METADATA_INVALID for a time beyond the range of timestamps
   */
  public DecodedColumn decode(Elements raw) {
    if (!raw.type().equals(dataType)) {
      throw new IllegalArgumentException("elements of " + raw.type() + " are not of " + dataType);
    }
    if (columnType instanceof ColumnType.Struct) {
      return StructDecoder.decode((FixedWidthElements) raw, columnType);
    }
    if (columnType == Scalar.BINARY || (columnType == Scalar.STRING && time == null)) {
      return new TextDecoder(missing).decode(raw, (Scalar) columnType);
    }
    return new NumberDecoder(dataType, (Scalar) columnType, signed, missing, scaling, time, subject)
        .decode((FixedWidthElements) raw);
  }

  private boolean keepsBytes() {
    if (dataType instanceof DataType.VariableString || dataType instanceof DataType.VariableBytes) {
      return true;
    }
    return columnType instanceof Scalar
        && NumberDecoder.keepsBytes(dataType, (Scalar) columnType, scaling, time);
  }

  /** {@code raw * factor + offset}. */
  record Scaling(double factor, double offset) {

    static Scaling of(JsonNode attributes) {
      if (!attributes.has("scale_factor") && !attributes.has("add_offset")) {
        return null;
      }
      return new Scaling(
          number(attributes, "scale_factor", 1), number(attributes, "add_offset", 0));
    }

    private static double number(JsonNode attributes, String name, double absent) {
      JsonNode value = attributes.path(name);
      if (value.isArray() && value.size() == 1) {
        value = value.get(0);
      }
      if (value.isMissingNode()) {
        return absent;
      }
      if (value.isNumber()) {
        return value.doubleValue();
      }
      try {
        return Double.parseDouble(value.asText());
      } catch (NumberFormatException e) {
        throw new ArrayMorphException(
            ErrorCode.METADATA_INVALID,
            "attribute " + name + " is " + value + ", not a number",
            "Read with decode=false for the stored values",
            e);
      }
    }
  }
}
