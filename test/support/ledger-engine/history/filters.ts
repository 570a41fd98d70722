import * as fc from "fast-check";
import type { LedgerHistory } from "./history.ts";
import type { FilterJson } from "./naive-filter.ts";
import {
  formatTimestamp,
  fromMicros,
  MICROS_MAX,
  MICROS_MIN,
  type Timestamp,
  toMicros,
} from "#platform/time.ts";

/** The resources whose lists have filters. */
export type FilteredResource = "transactions" | "accounts" | "volumes" | "balances" | "logs";

type KeyType = "number" | "date" | "text" | "boolean" | "address" | "metadata" | "balance";

/** The filter keys of each resource, from the reference documentation. */
export const KEYS: Readonly<Record<FilteredResource, Readonly<Record<string, KeyType>>>> = {
  transactions: {
    id: "number",
    reference: "text",
    timestamp: "date",
    inserted_at: "date",
    updated_at: "date",
    reverted_at: "date",
    reverted: "boolean",
    account: "address",
    source: "address",
    destination: "address",
    metadata: "metadata",
  },
  accounts: {
    address: "address",
    first_usage: "date",
    insertion_date: "date",
    updated_at: "date",
    balance: "balance",
    metadata: "metadata",
  },
  volumes: {
    account: "address",
    address: "address",
    balance: "balance",
    first_usage: "date",
    metadata: "metadata",
  },
  balances: { address: "address", metadata: "metadata" },
  logs: { id: "number", date: "date", type: "text" },
};

/** Names and values of a ledger. Most generated ones are equal or close to one of these. */
export interface Vocabulary {
  readonly dates: readonly Timestamp[];
  readonly ids: readonly number[];
  readonly references: readonly string[];
  readonly addresses: readonly string[];
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly assets: readonly string[];
  readonly balances: readonly bigint[];
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

export function vocabularyOf(history: LedgerHistory): Vocabulary {
  const { entries, transactions, accounts } = history;
  const changes = entries.flatMap(({ data }) =>
    "metadata" in data && data.metadata !== null ? [data.metadata] : [],
  );
  const metadata = [...changes, ...[...transactions, ...accounts].map((it) => it.metadata)];
  const postings = transactions.flatMap((it) => it.postings);
  const now = { column: "account", order: "asc", insertionDate: false, groupBy: 0 } as const;
  const volumes = history.listVolumes(now);
  return {
    dates: unique([
      ...entries.map(({ date }) => date),
      ...transactions.map(({ timestamp }) => timestamp),
    ]),
    ids: unique([...entries, ...transactions].map(({ id }) => id)),
    references: transactions.flatMap(({ reference }) => reference ?? []),
    addresses: unique(accounts.map(({ address }) => address)),
    keys: unique(metadata.flatMap((it) => Object.keys(it))),
    values: unique(metadata.flatMap((it) => Object.values(it))),
    assets: unique(postings.map(({ asset }) => asset)),
    balances: typeof volumes === "string" ? [] : volumes.map(({ input, output }) => input - output),
  };
}

/** Filters of a resource, with operators nested up to four deep. */
export function filterOf(resource: FilteredResource, words: Vocabulary): fc.Arbitrary<FilterJson> {
  const tests = Object.entries(KEYS[resource]).map(([key, type]) => testOf(key, type, words));
  return nested(fc.oneof(...tests), 4);
}

function nested(test: fc.Arbitrary<FilterJson>, depth: number): fc.Arbitrary<FilterJson> {
  if (depth === 0) return test;
  const inner = nested(test, depth - 1);
  const list = fc.array(inner, { maxLength: 3 });
  return fc.oneof(
    { weight: 4, arbitrary: test },
    { weight: 1, arbitrary: list.map((filters) => ({ $and: filters })) },
    { weight: 1, arbitrary: list.map((filters) => ({ $or: filters })) },
    { weight: 1, arbitrary: inner.map((filter) => ({ $not: filter })) },
  );
}

export const COMPARISONS = ["$match", "$lt", "$lte", "$gt", "$gte"];

/** Tests of a key with each operator that its type takes. */
function testOf(key: string, type: KeyType, words: Vocabulary): fc.Arbitrary<FilterJson> {
  switch (type) {
    case "number":
      return compared(key, numberNear(words.ids.map(BigInt)));
    case "date":
      return compared(key, dateText(words));
    case "boolean":
      return fc.boolean().map((value) => ({ $match: { [key]: value } }));
    case "text":
      return textTest(key, key === "type" ? LOG_TYPES : textNear(words.references));
    case "address":
      return addressTest(key, words);
    case "metadata":
      return metadataTest(words);
    case "balance":
      return balanceTest(words);
  }
}

const LOG_TYPES = fc.constantFrom(
  "NEW_TRANSACTION",
  "REVERTED_TRANSACTION",
  "SET_METADATA",
  "DELETE_METADATA",
  "INSERTED_SCHEMA",
);

const compared = (key: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<FilterJson> =>
  fc
    .tuple(fc.constantFrom(...COMPARISONS), value)
    .map(([operator, value]) => ({ [operator]: { [key]: value } }));

const textTest = (key: string, text: fc.Arbitrary<string>): fc.Arbitrary<FilterJson> =>
  fc.oneof(
    text.map((value) => ({ $match: { [key]: value } })),
    fc.array(text, { maxLength: 4 }).map((values) => ({ $in: { [key]: values } })),
    likePattern(text).map((value) => ({ $like: { [key]: value } })),
  );

const addressTest = (key: string, words: Vocabulary): fc.Arbitrary<FilterJson> =>
  fc.oneof(
    { weight: 3, arbitrary: addressPattern(words).map((value) => ({ $match: { [key]: value } })) },
    { weight: 2, arbitrary: textTest(key, addressNear(words)) },
  );

function metadataTest(words: Vocabulary): fc.Arbitrary<FilterJson> {
  const name = textNear(words.keys);
  const inBrackets = name
    .filter((key) => key !== "")
    .chain((key) =>
      fc.oneof(
        textTest(`metadata[${key}]`, textNear(words.values)),
        fc.boolean().map((value) => ({ $exists: { [`metadata[${key}]`]: value } })),
      ),
    );
  const bare = fc
    .tuple(fc.constantFrom("$exists", "$match"), name)
    .map(([operator, value]) => ({ [operator]: { metadata: value } }));
  return fc.oneof({ weight: 3, arbitrary: inBrackets }, { weight: 1, arbitrary: bare });
}

function balanceTest(words: Vocabulary): fc.Arbitrary<FilterJson> {
  const asset = fc.constantFrom(...words.assets, "USD/2", "usd", "__proto__");
  return fc.oneof(
    {
      weight: 4,
      arbitrary: asset.chain((name) => compared(`balance[${name}]`, numberNear(words.balances))),
    },
    { weight: 2, arbitrary: compared("balance", numberNear(words.balances)) },
    { weight: 1, arbitrary: asset.map((value) => ({ $exists: { balance: value } })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(asset, fc.boolean())
        .map(([name, value]) => ({ $exists: { [`balance[${name}]`]: value } })),
    },
  );
}

/** The first integer that a JavaScript number cannot hold. */
const BEYOND = 2n ** 53n + 1n;

const numberNear = (values: readonly bigint[]): fc.Arbitrary<bigint> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom(...values), fc.constantFrom(0n, 0n, 0n, -1n, 1n))
        .map(([value, step]) => value + step),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(-1n, 0n, BEYOND, -BEYOND, 2n ** 64n, 10n ** 30n, -(10n ** 30n)),
    },
  );

/** Texts of the ledger, variants of them, and special texts such as the names of inherited properties. */
const textNear = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...texts) },
    { weight: 1, arbitrary: fc.constantFrom(...texts).map((text) => `${text}x`) },
    { weight: 1, arbitrary: fc.constantFrom(...texts).map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: fc.constantFrom("", "constructor", "toString", "%", "_") },
  );

/** Full addresses, of accounts and of no accounts. */
const addressNear = ({ addresses }: Vocabulary): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...addresses) },
    { weight: 1, arbitrary: fc.constantFrom(...addresses).map((it) => `${it}:x`) },
    { weight: 1, arbitrary: fc.constantFrom("nobody", "user", "bad address", "users:...:main") },
  );

/** Patterns made from an address: with a segment emptied, removed or added, or with an open end. */
const addressPattern = (words: Vocabulary): fc.Arbitrary<string> =>
  fc
    .record({
      address: addressNear(words),
      wild: fc.nat(15),
      cut: fc.constantFrom(0, 0, 0, 1, 2),
      more: fc.constantFrom(0, 0, 0, 1, 2),
      isOpen: fc.nat(2).map((dice) => dice === 0),
    })
    .map(({ address, wild, cut, more, isOpen }) => {
      const segments = address.split(":");
      const kept = segments.slice(0, Math.max(0, segments.length - cut));
      const some = kept.map((segment, index) => ((wild >> index) & 1 ? "" : segment));
      const all = [...some, ...Array.from({ length: more }, () => ""), ...(isOpen ? ["..."] : [])];
      return all.join(":");
    });

/** Patterns made from the beginning, the end or the middle of a text and wildcards, with and without escapes. */
const likePattern = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .record({
      text,
      from: fc.nat(6),
      length: fc.nat(12),
      isEscaped: fc.boolean(),
      form: fc.constantFrom("x", "x%", "%x", "%x%", "_x", "x_", "x%x", "x_x", "%", "_%"),
    })
    .map(({ text, from, length, isEscaped, form }) => {
      const plain = isEscaped ? text.replaceAll(/[%_\\]/g, String.raw`\$&`) : text;
      const characters = Array.from(plain);
      if (form.length === 1) return form === "x" ? plain : form;
      const begin = characters.slice(0, length).join("");
      const end = characters.slice(form === "x_x" ? length + 1 : length).join("");
      const middle = characters.slice(from, from + length).join("");
      if (form === "%x%") return `%${middle}%`;
      if (form === "x%x" || form === "x_x") return `${begin}${form[1] ?? ""}${end}`;
      if (form === "x%" || form === "x_") return `${begin}${form[1] ?? ""}`;
      return form === "_%" ? form : `${form[0] ?? ""}${end}`;
    });

/** A date of the ledger, or a microsecond beside it. */
export const dateNear = ({ dates }: Vocabulary): fc.Arbitrary<Timestamp> =>
  fc.tuple(fc.constantFrom(...dates), fc.constantFrom(0n, 0n, 0n, -1n, 1n)).map(([date, step]) => {
    const micros = toMicros(date) + step;
    return micros < MICROS_MIN || micros > MICROS_MAX ? date : fromMicros(micros);
  });

/** Texts of a date that clients may write: with other zones, or with more digits than are significant. */
const dateText = (words: Vocabulary): fc.Arbitrary<string> =>
  fc
    .tuple(dateNear(words), fc.constantFrom("short", "full", "east", "west", "down", "up"))
    .map(([date, form]) => {
      const micros = toMicros(date);
      const isEdge = micros < MICROS_MIN + DAY_MICROS || micros > MICROS_MAX - DAY_MICROS;
      switch (isEdge ? "short" : form) {
        case "east":
          return fromMicros(micros + 4n * HOUR_MICROS).replace("Z", "+04:00");
        case "west":
          return fromMicros(micros - 7n * HOUR_MICROS).replace("Z", "-07:00");
        case "down":
          return date.replace("Z", "4999Z");
        case "up":
          return fromMicros(micros - 1n).replace("Z", "5Z");
        case "full":
          return date;
        default:
          return formatTimestamp(date);
      }
    });

const HOUR_MICROS = 3_600_000_000n;
const DAY_MICROS = 24n * HOUR_MICROS;
