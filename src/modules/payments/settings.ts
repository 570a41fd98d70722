import { boolean, DeclaredSettings, period, SettingsError } from "#platform/settings.ts";

export const paymentSettings = new DeclaredSettings(
  {
    FLORIN_PAYMENTS_POLLING_PERIOD: period({
      standard: "30m",
      meaning: "How often a connector is polled if its configuration does not say",
    }),
    FLORIN_PAYMENTS_POLLING_PERIOD_MIN: period({
      standard: "20m",
      meaning: "Shortest polling period that the configuration of a connector may name",
    }),
    FLORIN_PAYMENTS_FOUR_EYES: boolean({
      standard: "false",
      meaning: "`true`: a payment initiation is approved by another principal than its creator",
    }),
  },
  ({ FLORIN_PAYMENTS_POLLING_PERIOD: standardMs, FLORIN_PAYMENTS_POLLING_PERIOD_MIN: leastMs }) => {
    if (standardMs >= leastMs) return;
    throw new SettingsError(
      "FLORIN_PAYMENTS_POLLING_PERIOD is shorter than FLORIN_PAYMENTS_POLLING_PERIOD_MIN. It takes that duration at least.",
    );
  },
);
