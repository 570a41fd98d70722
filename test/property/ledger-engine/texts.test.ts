import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toLogText } from "#ledger-engine/rules/log/log-text.ts";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import { accountText, asInteger, asText, transactionText } from "#ledger-engine/rules/texts.ts";
import type {
  Account,
  AccountRecord,
  AccountVolumes,
  Asset,
  Metadata,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import { toAccountView, toTransactionView } from "#ledger-engine/rules/views.ts";
import { toPlatformEvents, toWrittenEvents } from "#modules/ledger/events.ts";
import { writeEntries } from "#modules/ledger/objects/event-payloads.ts";
import { toLogView } from "#modules/ledger/wire/views.ts";
import { toPayload, toWrittenPayload } from "#modules/webhooks/calls/payload.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMicros, type Timestamp } from "#platform/time.ts";
import { INFO } from "#test/support/ledger-engine/fixtures.ts";
import { plainJson } from "#test/support/ledger-engine/logs.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const RUNS = { numRuns: runsOf(500) };
const BOTH = { volumes: true, effectiveVolumes: true };
const QUOTED = { bigintAsString: true };

const amount = fc.oneof(fc.bigInt({ min: 0n, max: 100n }), fc.bigInt({ min: 0n, max: 10n ** 40n }));
/** Some names are array indexes, which objects list first and in numeric order. */
const account = fc.constantFrom("world", "users:1", "a", "a-b", "a:1", "12", "7", "4294967295");
const asset = fc.constantFrom("USD", "USD/2", "A", "ZZZ/4");
const key = fc.oneof(fc.string(), fc.constantFrom("12", "7", "__proto__", "ä", "\u{1f600}", '"'));
const metadata: fc.Arbitrary<Metadata> = fc
  .array(fc.tuple(key, fc.string()), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));
const date: fc.Arbitrary<Timestamp> = fc
  .bigInt({ min: 0n, max: 2_000_000_000_000_000n })
  .map((micros) => fromMicros(micros));
const volumes: fc.Arbitrary<AccountVolumes[]> = fc.uniqueArray(
  fc.record({
    account: account as fc.Arbitrary<Account>,
    asset: asset as fc.Arbitrary<Asset>,
    input: amount,
    output: amount,
  }),
  { selector: (item) => `${item.account} ${item.asset}`, maxLength: 5 },
);
const posting = fc.record({
  source: account as fc.Arbitrary<Account>,
  destination: account as fc.Arbitrary<Account>,
  amount,
  asset: asset as fc.Arbitrary<Asset>,
});

/** Volumes after the transaction cover all accounts and assets of its postings. */
const transaction: fc.Arbitrary<Transaction> = fc
  .record(
    {
      id: fc.nat(),
      postings: fc.array(posting, { maxLength: 3 }),
      metadata,
      timestamp: date,
      reference: key,
      template: key,
      insertedAt: date,
      updatedAt: date,
      revertedAt: date,
      start: fc.option(amount, { nil: undefined }),
      isSame: fc.boolean(),
    },
    { requiredKeys: ["id", "postings", "metadata", "timestamp", "insertedAt", "updatedAt"] },
  )
  .map(({ start, isSame = true, ...rest }) => {
    if (start === undefined) return rest;
    const after = volumesOf(rest.postings, start);
    return {
      ...rest,
      volumes: after,
      effectiveVolumes: isSame ? after : volumesOf(rest.postings, 0n),
    };
  });

function volumesOf(postings: Transaction["postings"], start: bigint): AccountVolumes[] {
  const found = new Map<string, AccountVolumes>();
  const add = (moved: AccountVolumes): void => {
    const name = `${moved.account} ${moved.asset}`;
    const { input, output } = found.get(name) ?? { input: start, output: start };
    found.set(name, { ...moved, input: input + moved.input, output: output + moved.output });
  };
  for (const { source, destination, asset: unit, amount: moved } of postings) {
    add({ account: source, asset: unit, input: 0n, output: moved });
    add({ account: destination, asset: unit, input: moved, output: 0n });
  }
  return [...found.values()];
}

const record: fc.Arbitrary<AccountRecord> = fc
  .record(
    {
      address: account as fc.Arbitrary<Account>,
      metadata,
      firstUsage: date,
      insertionDate: date,
      updatedAt: date,
      volumes,
      effectiveVolumes: volumes,
    },
    { requiredKeys: ["address", "metadata", "firstUsage", "insertionDate", "updatedAt"] },
  )
  .map((found) => ({
    ...found,
    ...(found.volumes === undefined ? {} : { volumes: ofOne(found.volumes) }),
    ...(found.effectiveVolumes === undefined
      ? {}
      : { effectiveVolumes: ofOne(found.effectiveVolumes) }),
  }));

/** The first row of each asset, because an account has at most one row an asset. */
const ofOne = (rows: readonly AccountVolumes[]): AccountVolumes[] => [
  ...new Map(rows.map((row) => [row.asset, row])).values(),
];

describe("the text that is written at once is the JSON of the view", () => {
  test("the text that is written at once is the JSON of the view of a transaction", () => {
    fc.assert(
      fc.property(transaction, (item) => {
        const view = toTransactionView(item);
        expect(plainJson(transactionText(item, asInteger))).toBe(stringifyJson(view));
        expect(plainJson(transactionText(item, asText))).toBe(stringifyJson(view, QUOTED));
      }),
      RUNS,
    );
  });

  test("the text that is written at once is the JSON of the view of an account", () => {
    fc.assert(
      fc.property(record, (item) => {
        const view = toAccountView(item, BOTH);
        expect(plainJson(accountText(item, asInteger))).toBe(stringifyJson(view));
        expect(plainJson(accountText(item, asText))).toBe(stringifyJson(view, QUOTED));
      }),
      RUNS,
    );
  });

  const entry: fc.Arbitrary<LogListEntry> = fc.record(
    {
      id: fc.nat(),
      date,
      idempotencyKey: key,
      idempotencyHash: fc.base64String(),
      hash: fc.base64String(),
      schemaVersion: key,
      data: fc.oneof(
        fc.record({
          type: fc.constant("NEW_TRANSACTION" as const),
          transaction,
          accountMetadata: fc.dictionary(account, metadata),
        }),
        fc.record({
          type: fc.constant("REVERTED_TRANSACTION" as const),
          transaction,
          revertedTransaction: transaction,
        }),
        fc.record({
          type: fc.constant("SET_METADATA" as const),
          target: fc.record({ type: fc.constant("TRANSACTION" as const), id: fc.nat() }),
          metadata,
        }),
        fc.record({
          type: fc.constant("DELETE_METADATA" as const),
          target: fc.record({
            type: fc.constant("ACCOUNT" as const),
            id: account as fc.Arbitrary<Account>,
          }),
          key,
        }),
      ),
    },
    { requiredKeys: ["id", "date", "idempotencyKey", "idempotencyHash", "hash", "data"] },
  );

  test("the text that is written at once is the JSON of the view of a log entry", () => {
    fc.assert(
      fc.property(entry, (item) => {
        expect(plainJson(toLogText(item))).toBe(stringifyJson(toLogView(item)));
        expect(plainJson(toLogText(item, asText))).toBe(stringifyJson(toLogView(item), QUOTED));
      }),
      RUNS,
    );
  });

  test("the text that is written at once is the JSON of the view of an event, as webhooks send it", () => {
    fc.assert(
      fc.property(entry, account, (item, name) => {
        const info = { ...INFO, name };
        const sent = toPlatformEvents(info, [item]).map(toPayload);
        const written = toWrittenEvents(info.uuid, writeEntries(info, [item]));
        expect(written.map(toWrittenPayload).map(plainJson)).toEqual(sent.map(plainJson));
      }),
      RUNS,
    );
  });
});
