package io.arraymorph.optimizer.profile;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.layout.JsonTree;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Reads and writes profile files as docs/spec/profile.md defines them. */
public final class ProfileJson {
  private static final int VERSION = 1;
  private static final int NAME = 200;
  private static final int PROVENANCE = 20_000;
  private static final JsonFactory FILES =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private ProfileJson() {}

  /**
   * Parses a profile file.
   *
   * @param where file name for messages
   * @throws ArrayMorphException with PROFILE_INVALID
   */
  public static StoreProfile parse(String text, String where) {
    try {
      JsonNode node = JsonTree.parse(FILES, text);
      if (!(node instanceof ObjectNode)) {
        throw ProfileFields.invalid(where + " is not a JSON object");
      }
      ProfileFields fields = new ProfileFields((ObjectNode) node, where);
      return fields.make(() -> profile(fields, where));
    } catch (JsonProcessingException e) {
      throw ProfileFields.invalid(where + " is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static StoreProfile profile(ProfileFields fields, String where) {
    long version = fields.integer("arraymorph_profile");
    if (version != VERSION) {
      throw ProfileFields.invalid(where + ": arraymorph_profile is " + version + ", not 1");
    }
    String date = fields.text("date", NAME);
    LocalDate day;
    try {
      day = LocalDate.parse(date);
    } catch (DateTimeException e) {
      throw ProfileFields.invalid(where + ": date is '" + date + "', not as 2026-11-21", e);
    }
    String name = fields.text("name", NAME);
    Provenance provenance = provenance(fields);
    Location location = location(fields.text("location", NAME), where);
    ProfileFields transport = fields.object("transport");
    ProfileFields prices = fields.object("prices");
    ProfileFields function = fields.objectOrNull("function");
    return new StoreProfile(
        name,
        day,
        provenance,
        location,
        transport.make(() -> transport(transport)),
        prices.make(() -> prices(prices)),
        function == null ? Optional.empty() : Optional.of(function.make(() -> function(function))));
  }

  /** One text, or an object with a text for each group of numbers. */
  private static Provenance provenance(ProfileFields fields) {
    if (!fields.isObject("provenance")) {
      return Provenance.of(fields.text("provenance", PROVENANCE));
    }
    ProfileFields texts = fields.object("provenance");
    return texts.make(
        () ->
            new Provenance(
                texts.text("text", PROVENANCE),
                Optional.of(
                    new Provenance.Sources(
                        texts.text("transport", PROVENANCE),
                        texts.text("prices", PROVENANCE),
                        texts.text("function", PROVENANCE)))));
  }

  private static Location location(String label, String where) {
    return Arrays.stream(Location.values())
        .filter(location -> location.label().equals(label.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () -> ProfileFields.invalid(where + ": location is '" + label + "', not known"));
  }

  private static Transport transport(ProfileFields fields) {
    return new Transport(
        BandwidthCurve.of(
            Arrays.stream(fields.pairs("bandwidth"))
                .map(pair -> new BandwidthCurve.Point((long) pair[0], pair[1]))
                .toList()),
        fields.number("connectionBytesPerSecond"),
        fields.number("latencySeconds"),
        fields.number("tailLatencySeconds"),
        fields.number("requestSeconds"),
        fields.numberOr("partSeconds", 0),
        fields.smallInteger("concurrency"));
  }

  private static Prices prices(ProfileFields fields) {
    return new Prices(
        fields.number("dollarsPerRequest"),
        fields.integer("meteredBytes"),
        fields.number("dollarsPerRetrievedByte"),
        Arrays.stream(fields.pairs("egress"))
            .map(pair -> new Prices.EgressTier((long) pair[0], pair[1]))
            .toList());
  }

  private static FunctionProfile function(ProfileFields fields) {
    FunctionProfile function =
        new FunctionProfile(
            new FunctionProfile.Speed(
                fields.number("overheadSeconds"),
                fields.number("storeLatencySeconds"),
                fields.number("scanBytesPerSecond"),
                fields.number("packBytesPerSecond"),
                fields.number("coldProbability"),
                fields.number("coldSeconds"),
                fields.number("alphaSecondsPerByte"),
                fields.number("betaSeconds")),
            new FunctionProfile.Answer(
                fields.integer("maxAnswerBytes"),
                fields.integer("fastAnswerBytes"),
                fields.number("slowAnswerBytesPerSecond")),
            fields.smallInteger("concurrency"),
            fields.number("maxSeconds"),
            new FunctionProfile.FunctionPrices(
                fields.number("dollarsPerCall"),
                fields.number("memoryGigabytes"),
                fields.number("dollarsPerGigabyteSecond"),
                fields.number("minimumSeconds"),
                fields.number("granularitySeconds"),
                fields.number("callsPerInstance"),
                fields.number("dollarsPerSlowByte"),
                fields.number("storeReadsPerCall")));
    ProfileFields host = fields.objectOrNull("host");
    return host == null ? function : function.withHost(host.make(() -> host(host)));
  }

  private static FunctionProfile.Host host(ProfileFields fields) {
    return new FunctionProfile.Host(
        fields.number("objectSeconds"), fields.number("byteSeconds"), fields.number("contention"));
  }

  /** The file of a profile: indented JSON with a line end; {@link #parse} gives it back. */
  public static String write(StoreProfile profile) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("arraymorph_profile", VERSION);
    root.put("name", profile.name());
    root.put("date", profile.date().toString());
    write(profile.provenance(), root);
    root.put("location", profile.location().label());
    write(profile.transport(), root.putObject("transport"));
    write(profile.prices(), root.putObject("prices"));
    if (profile.function().isPresent()) {
      write(profile.function().get(), root.putObject("function"));
    } else {
      root.putNull("function");
    }
    return root.toPrettyString() + "\n";
  }

  private static void write(Provenance provenance, ObjectNode root) {
    if (provenance.sources().isEmpty()) {
      root.put("provenance", provenance.text());
      return;
    }
    Provenance.Sources sources = provenance.sources().get();
    root.putObject("provenance")
        .put("text", provenance.text())
        .put("transport", sources.transport())
        .put("prices", sources.prices())
        .put("function", sources.function());
  }

  private static void write(Transport transport, ObjectNode out) {
    ArrayNode points = out.putArray("bandwidth");
    transport
        .bandwidth()
        .points()
        .forEach(point -> points.addArray().add(point.requests()).add(point.bytesPerSecond()));
    out.put("connectionBytesPerSecond", transport.connectionBytesPerSecond());
    out.put("latencySeconds", transport.latencySeconds());
    out.put("tailLatencySeconds", transport.tailLatencySeconds());
    out.put("requestSeconds", transport.requestSeconds());
    if (transport.partSeconds() > 0) {
      out.put("partSeconds", transport.partSeconds());
    }
    out.put("concurrency", transport.concurrency());
  }

  private static void write(Prices prices, ObjectNode out) {
    out.put("dollarsPerRequest", prices.dollarsPerRequest());
    out.put("meteredBytes", prices.meteredBytes());
    out.put("dollarsPerRetrievedByte", prices.dollarsPerRetrievedByte());
    ArrayNode tiers = out.putArray("egress");
    prices.egress().forEach(t -> tiers.addArray().add(t.fromBytes()).add(t.dollarsPerByte()));
  }

  private static void write(FunctionProfile function, ObjectNode out) {
    FunctionProfile.Speed speed = function.speed();
    out.put("overheadSeconds", speed.overheadSeconds());
    out.put("storeLatencySeconds", speed.storeLatencySeconds());
    out.put("scanBytesPerSecond", speed.scanBytesPerSecond());
    out.put("packBytesPerSecond", speed.packBytesPerSecond());
    out.put("coldProbability", speed.coldProbability());
    out.put("coldSeconds", speed.coldSeconds());
    out.put("alphaSecondsPerByte", speed.alphaSecondsPerByte());
    out.put("betaSeconds", speed.betaSeconds());
    out.put("maxAnswerBytes", function.answer().maxBytes());
    out.put("fastAnswerBytes", function.answer().fastBytes());
    out.put("slowAnswerBytesPerSecond", function.answer().slowBytesPerSecond());
    out.put("concurrency", function.concurrency());
    out.put("maxSeconds", function.maxSeconds());
    FunctionProfile.FunctionPrices prices = function.prices();
    out.put("dollarsPerCall", prices.dollarsPerCall());
    out.put("memoryGigabytes", prices.memoryGigabytes());
    out.put("dollarsPerGigabyteSecond", prices.dollarsPerGigabyteSecond());
    out.put("minimumSeconds", prices.minimumSeconds());
    out.put("granularitySeconds", prices.granularitySeconds());
    out.put("callsPerInstance", prices.callsPerInstance());
    out.put("dollarsPerSlowByte", prices.dollarsPerSlowByte());
    out.put("storeReadsPerCall", prices.storeReadsPerCall());
    if (!function.host().equals(FunctionProfile.Host.NONE)) {
      ObjectNode host = out.putObject("host");
      host.put("objectSeconds", function.host().objectSeconds());
      host.put("byteSeconds", function.host().byteSeconds());
      host.put("contention", function.host().contention());
    }
  }
}
