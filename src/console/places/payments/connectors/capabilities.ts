import type { Capability } from "./queries.ts";
import { locale } from "#console/parts/language/words.ts";
import { paymentWords } from "#console/places/payments/words.ts";

const FETCHED = [
  "FETCH_ACCOUNTS",
  "FETCH_EXTERNAL_ACCOUNTS",
  "FETCH_BALANCES",
  "FETCH_PAYMENTS",
  "FETCH_ORDERS",
  "FETCH_CONVERSIONS",
] as const;
const DONE = ["CREATE_TRANSFER", "CREATE_PAYOUT", "CREATE_BANK_ACCOUNT"] as const;

const LIST = new Intl.ListFormat(locale, { type: "conjunction" });

/** What a kind of connector reads and does, in a sentence. */
export function capabilitySentence(capabilities: readonly Capability[]): string {
  const { reads, does, capability } = paymentWords().install;
  const named = (of: readonly (keyof typeof capability)[]): string[] =>
    of.filter((each) => capabilities.includes(each)).map((each) => capability[each]);
  const [fetched, done] = [named(FETCHED), named(DONE)];
  return [
    ...(fetched.length === 0 ? [] : [reads(LIST.format(fetched))]),
    ...(done.length === 0 ? [] : [does(LIST.format(done))]),
  ].join(" ");
}
