import * as fc from "fast-check";
import type { Command, Metadata } from "#ledger-engine/rules/types.ts";
import { present } from "#platform/assert.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";
import {
  create,
  deleteMetadata,
  posting,
  revert,
  setMetadata,
} from "#test/support/ledger-engine/fixtures.ts";

/** A step of a ledger run. Its commands depend on the content of the ledger at the step. */
export interface Step {
  /** Microseconds by which the clock moves before the step. */
  readonly waitMicros: bigint;
  /** The idempotency key; empty for none. */
  readonly key: string;
  readonly dryRun: boolean;
  /** Whether the commands form an atomic bulk or another one; undefined for single commands. */
  readonly atomic: boolean | undefined;
  readonly toCommands: (known: Known) => readonly Command[];
}

/** The content of a ledger that a step can refer to. */
export interface Known {
  /** The id of a transaction, the last one for `LATEST`, or an id that may be unknown. */
  id(nth: number): number;
  /** The date of an earlier entry, or a date some hours after the start. */
  date(choice: DateChoice): Timestamp;
}

/** A placeholder for the transaction that was made last. */
export const LATEST = -1;

export interface DateChoice {
  readonly hours: number;
  readonly micros: number;
  readonly nth: number;
}

/** Addresses of one to four segments that are easily mistaken for each other. */
const ADDRESSES = [
  ..."world users users-x users_x users1 Users users:1 users:10 users:1-x users:11 users:2".split(
    " ",
  ),
  ..."users:1:main users:1:savings users:10:main users:2:main users:1:main:eur users:10:main:eur".split(
    " ",
  ),
  ..."users-x:1 __proto__ __proto__:1 constructor toString:__proto__ 10 9 9:10 a a:b a:b:c a:b:c:d".split(
    " ",
  ),
  ..."A:B - _ a- a_ merchants:7:main merchants:8:main main fees fees:card bank:fees:card:eur".split(
    " ",
  ),
  "a:very:long-segment-with-more-than-fifty-bytes-in-it-so-that-patterns-are-long:end",
];
/** Accounts that never take part in a transaction. */
const QUIET = ["quiet", "quiet:1:main"];
/** Assets, of which the last is so rare that some accounts never move it. */
const asset = fc.oneof(
  { weight: 20, arbitrary: fc.constant("USD") },
  { weight: 9, arbitrary: fc.constant("EUR/2") },
  { weight: 1, arbitrary: fc.constant("BTC/8") },
);
const KEYS = ["k", "K", "10", "9", "__proto__", "é😀", "a]b[c", "", "two\nlines"];
const VALUES = ["1", "2", "", "10", "gold", "Gold", "100%_\\", "日本😀", "g".repeat(60)];
const REFERENCES = ["ref", "Ref", "p2p_%", "50\\%", "é😀", "__proto__", "r".repeat(70)];
const EXTREMES = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"].map((text) =>
  present(parseTimestamp(text), `${text} is a date`),
);

const address = fc.oneof(
  { weight: 1, arbitrary: fc.constant("world") },
  { weight: 6, arbitrary: fc.constantFrom(...ADDRESSES) },
);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(0n, 20n) },
  { weight: 2, arbitrary: fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 2n) },
  { weight: 1, arbitrary: fc.bigInt(0n, 10n ** 40n) },
);
const postings = fc.array(
  fc
    .tuple(address, address, amount, asset)
    .map(([source, destination, amount, asset]) =>
      posting(`${source} -> ${destination}`, amount, asset),
    ),
  { minLength: 1, maxLength: 4 },
);
const metadata: fc.Arbitrary<Metadata> = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)), { maxLength: 3 })
  .map((pairs) => Object.fromEntries(pairs));
const accountMetadata = fc
  .array(fc.tuple(fc.oneof(address, fc.constantFrom(...QUIET)), metadata), {
    minLength: 1,
    maxLength: 2,
  })
  .map((pairs) => Object.fromEntries(pairs));
const date = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      hours: fc.integer({ min: -12, max: 60 }),
      micros: fc.constantFrom(0, 0, 0, -1, 1),
      nth: fc.nat(1000),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(...EXTREMES) },
);
const reference = fc
  .tuple(fc.constantFrom(...REFERENCES), fc.nat(60))
  .map(([text, number]) => (number === 0 ? text : `${text}${number}`));

/** A value in about one of `of` cases, otherwise undefined. */
const rarely = <T>(of: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

type ToCommand = (known: Known) => Command;

const creating: fc.Arbitrary<ToCommand> = fc
  .record({
    postings,
    date: rarely(2, date),
    reference: rarely(3, reference),
    metadata: fc.oneof(fc.constant({}), metadata),
    accountMetadata: rarely(6, accountMetadata),
    // Most accounts are overdrawn, so most transactions have to be forced.
    force: fc.nat(9).map((dice) => dice > 0),
  })
  .map(({ date, reference, accountMetadata, postings, ...fields }) => (known) => {
    const timestamp = date === undefined || typeof date === "string" ? date : known.date(date);
    return create(postings, {
      ...fields,
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(reference === undefined ? {} : { reference }),
      ...(accountMetadata === undefined ? {} : { accountMetadata }),
    });
  });

const reverting: fc.Arbitrary<ToCommand> = fc
  .record({
    nth: fc.oneof(
      { weight: 5, arbitrary: fc.nat(1000) },
      { weight: 1, arbitrary: fc.constant(LATEST) },
    ),
    metadata: rarely(2, metadata),
    force: fc.nat(5).map((dice) => dice > 0),
    atEffectiveDate: fc.boolean(),
  })
  .map(
    ({ nth, metadata, ...options }) =>
      (known) =>
        revert(known.id(nth), { ...options, ...(metadata === undefined ? {} : { metadata }) }),
  );

/** Targets of metadata: often one of a few transactions and accounts, or the transaction that was just made. */
const target = fc.oneof(
  fc.nat(1000),
  fc.nat(12),
  fc.constant(LATEST),
  address,
  fc.constantFrom(...QUIET),
);
const targetOf = (chosen: number | string, known: Known): number | string =>
  typeof chosen === "number" ? known.id(chosen) : chosen;

const settingMetadata: fc.Arbitrary<ToCommand> = fc.record({ target, metadata }).map(
  ({ target, metadata }) =>
    (known) =>
      setMetadata(targetOf(target, known), metadata),
);
const deletingMetadata: fc.Arbitrary<ToCommand> = fc
  .record({ target, key: fc.constantFrom(...KEYS) })
  .map(
    ({ target, key }) =>
      (known) =>
        deleteMetadata(targetOf(target, known), key),
  );

const doing: fc.Arbitrary<ToCommand> = fc.oneof(
  { weight: 12, arbitrary: creating },
  { weight: 3, arbitrary: reverting },
  { weight: 5, arbitrary: settingMetadata },
  { weight: 3, arbitrary: deletingMetadata },
);

/** Microseconds by which the clock moves. Often it stands still, and it may go back. */
const waitMicros = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0n) },
  { weight: 1, arbitrary: fc.constant(1n) },
  { weight: 3, arbitrary: fc.constantFrom(1_000_000n, 900_000_000n) },
  { weight: 1, arbitrary: fc.constant(3_600_000_000n) },
  { weight: 1, arbitrary: fc.constant(-5_000_000n) },
);

/** A random step of a ledger run. */
export const step: fc.Arbitrary<Step> = fc
  .record({
    waitMicros,
    key: rarely(15, fc.constantFrom("k1", "k2", "k3")),
    dryRun: fc.nat(14).map((dice) => dice === 0),
    atomic: rarely(20, fc.boolean()),
    doings: fc.array(doing, { minLength: 1, maxLength: 6 }),
  })
  .map(({ doings, key = "", ...options }) => ({
    ...options,
    key,
    toCommands: (known) => doings.map((toCommand) => toCommand(known)),
  }));

const AT_ONCE = { waitMicros: 0n, key: "", dryRun: false, atomic: undefined };

/** A transaction with an account that takes part in no other transaction, and a change of its metadata at the same date. */
export const welcome = (nth: number): Step[] => [
  {
    ...AT_ONCE,
    toCommands: () => [
      create(posting(`world -> crowd:${nth}`, nth), { metadata: nth % 3 === 0 ? { k: "1" } : {} }),
    ],
  },
  { ...AT_ONCE, toCommands: (known) => [setMetadata(known.id(LATEST), { K: `${nth % 2}` })] },
];
