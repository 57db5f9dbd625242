package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.cost.PaperCostModel;
import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.optimizer.profile.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Models of stores at random: those that are shipped, and others that may be. */
final class RandomStores {
  private RandomStores() {}

  static CostModel model(Random random) {
    StoreProfile profile =
        StoreProfiles.of(StoreProfiles.NAMES.get(random.nextInt(StoreProfiles.NAMES.size())));
    if (random.nextBoolean()) {
      profile = another(random, profile);
    }
    Transport transport = profile.transport();
    if (random.nextInt(3) == 0) {
      transport = transport.share(0.01 + 0.99 * random.nextDouble());
    }
    int slots = 1 + random.nextInt(random.nextBoolean() ? 6 : 256);
    profile = profile.withTransport(transport.withConcurrency(slots));
    return random.nextInt(3) > 0 ? new OverlapCostModel(profile) : new PaperCostModel(profile);
  }

  /** A number of any magnitude between these. */
  private static double between(Random random, double least, double most) {
    return least * Math.pow(most / least, random.nextDouble());
  }

  /** Nothing, now and then. */
  private static double sometimes(Random random, double least, double most) {
    return random.nextInt(3) == 0 ? 0 : between(random, least, most);
  }

  private static StoreProfile another(Random random, StoreProfile profile) {
    StoreProfile other = profile.withTransport(transport(random)).withPrices(prices(random));
    return random.nextInt(4) == 0
        ? other.withFunction(Optional.empty())
        : other.withFunction(Optional.of(function(random)));
  }

  /** A bandwidth that grows steeply, stays or falls again with more requests. */
  private static Transport transport(Random random) {
    double bandwidth = between(random, 1e6, 1e10);
    List<BandwidthCurve.Point> points = new ArrayList<>();
    long requests = 1L + random.nextInt(4);
    for (int i = random.nextInt(6); i >= 0; i--) {
      points.add(new BandwidthCurve.Point(requests, bandwidth));
      requests += 1 + random.nextInt(64);
      bandwidth *= between(random, 0.4, 8);
    }
    double latency = between(random, 1e-4, 0.3);
    return new Transport(
        BandwidthCurve.of(points),
        between(random, 1e6, 1e9),
        latency,
        latency * between(random, 1, 8),
        sometimes(random, 1e-6, 1e-2),
        sometimes(random, 1e-6, 1e-2),
        1);
  }

  private static Prices prices(Random random) {
    return new Prices(
        sometimes(random, 1e-8, 1e-5),
        random.nextInt(3) == 0 ? 1L << (12 + random.nextInt(12)) : 0,
        sometimes(random, 1e-13, 1e-10),
        List.of(new Prices.EgressTier(0, sometimes(random, 1e-12, 2e-10))));
  }

  private static FunctionProfile function(Random random) {
    FunctionProfile function =
        new FunctionProfile(
            new FunctionProfile.Speed(
                sometimes(random, 1e-3, 0.2),
                sometimes(random, 1e-3, 0.1),
                between(random, 1e6, 1e10),
                between(random, 1e6, 1e10),
                random.nextDouble() / 20,
                random.nextDouble() * 2,
                sometimes(random, 1e-10, 1e-7),
                sometimes(random, 1e-3, 0.2)),
            new FunctionProfile.Answer(
                1L << (13 + random.nextInt(14)),
                1L << random.nextInt(26),
                between(random, 1e5, 1e9)),
            1 + random.nextInt(256),
            between(random, 0.05, 900),
            new FunctionProfile.FunctionPrices(
                sometimes(random, 1e-8, 1e-5),
                between(random, 0.1, 10),
                sometimes(random, 1e-7, 1e-4),
                random.nextInt(3) == 0 ? random.nextDouble() : 0,
                random.nextInt(3) == 0 ? 0.1 : 0,
                1 + random.nextInt(8),
                sometimes(random, 1e-13, 1e-10),
                random.nextInt(3)));
    return random.nextInt(3) > 0
        ? function
        : function.withHost(
            new FunctionProfile.Host(
                sometimes(random, 1e-6, 1e-2),
                sometimes(random, 1e-12, 1e-8),
                random.nextDouble() * 2));
  }
}
