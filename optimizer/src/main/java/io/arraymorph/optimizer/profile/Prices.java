package io.arraymorph.optimizer.profile;

import java.util.List;

/**
 * What a store charges for reads, in dollars.
 *
 * @param dollarsPerRequest for each metered request
 * @param meteredBytes a read counts as one request for each started block of so many bytes; 0 if it
 *     always counts once
 * @param dollarsPerRetrievedByte for bytes read, wherever they go
 * @param egress for bytes that leave to the reader, by bytes of the month; tiers ascend, the first
 *     starts at 0
 */
public record Prices(
    double dollarsPerRequest,
    long meteredBytes,
    double dollarsPerRetrievedByte,
    List<EgressTier> egress) {

  /**
   * The price of bytes from a month-to-date total on.
   *
   * @param fromBytes where the tier starts
   * @param dollarsPerByte in it
   */
  public record EgressTier(long fromBytes, double dollarsPerByte) {}

  /** Copies the list; throws {@link IllegalArgumentException} for values that make no sense. */
  public Prices {
    Checks.notNegative("dollarsPerRequest", dollarsPerRequest);
    Checks.notNegative("meteredBytes", (double) meteredBytes);
    Checks.notNegative("dollarsPerRetrievedByte", dollarsPerRetrievedByte);
    egress = List.copyOf(egress);
    long before = -1;
    for (EgressTier tier : egress) {
      Checks.notNegative("egress: dollars per byte", tier.dollarsPerByte);
      if (tier.fromBytes <= before || (before < 0 && tier.fromBytes != 0)) {
        throw new IllegalArgumentException(
            "egress: a tier from " + tier.fromBytes + ", tiers must ascend from 0");
      }
      before = tier.fromBytes;
    }
  }

  /** The price of one more byte after so many in the month. */
  public double dollarsPerEgressByte(long monthToDateBytes) {
    double price = 0;
    for (EgressTier tier : egress) {
      if (monthToDateBytes >= tier.fromBytes) {
        price = tier.dollarsPerByte;
      }
    }
    return price;
  }

  /** Requests charged for one read of so many bytes. */
  public long meteredRequests(long bytes) {
    return meteredBytes == 0 ? 1 : Math.max(1, (bytes + meteredBytes - 1) / meteredBytes);
  }
}
