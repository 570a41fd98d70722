import {
  boolean,
  DeclaredSettings,
  isBaseUrl,
  list,
  period,
  SettingsError,
} from "#platform/settings.ts";

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
    FLORIN_PAYMENTS_LOOKUP_AFTER: period({
      standard: "1m",
      meaning:
        "How long after the arming of a connector of a restored deployment a run of its schedules has to begin, so that a payment that it does not bring counts as not made by the original: longer than the original's last call may take to get into the provider's list",
    }),
    FLORIN_PAYMENTS_GENERIC_LISTS_ALL: boolean({
      standard: "false",
      meaning:
        "`true`: generic providers list every transaction with its key as soon as they have accepted it, also if it is pending or fails, so that a restored copy sends what a provider does not list; otherwise a person decides about it",
    }),
    FLORIN_PAYMENTS_FOUR_EYES: boolean({
      standard: "false",
      meaning:
        "`true`: a payment initiation is approved, and reversed, by another principal than its creator",
    }),
    FLORIN_PAYMENTS_PROVIDER_URLS: list(
      "comma separated kinds of connectors with an http(s) URL each, such as wise=https://api.wise-sandbox.com",
      (entry) => /^[a-z]+=/.test(entry) && isBaseUrl(entry.slice(entry.indexOf("=") + 1)),
      {
        meaning:
          "Where the APIs of providers are, if not at their usual URLs: sandboxes, for example",
      },
    ),
  },
  ({ FLORIN_PAYMENTS_POLLING_PERIOD: standardMs, FLORIN_PAYMENTS_POLLING_PERIOD_MIN: leastMs }) => {
    if (standardMs >= leastMs) return;
    throw new SettingsError(
      "FLORIN_PAYMENTS_POLLING_PERIOD is shorter than FLORIN_PAYMENTS_POLLING_PERIOD_MIN. It takes that duration at least.",
    );
  },
);

/** The URL that the deployment's settings name for the providers of a kind; undefined for the usual one. */
export function providerUrlOf(env: Env, kind: string): string | undefined {
  const prefix = `${kind}=`;
  const entry = paymentSettings
    .of(env)
    .FLORIN_PAYMENTS_PROVIDER_URLS.find((each) => each.startsWith(prefix));
  return entry?.slice(prefix.length);
}
