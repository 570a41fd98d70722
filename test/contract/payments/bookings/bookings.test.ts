import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { runBookings } from "#modules/payments/mirror/run.ts";
import { ledgerWith } from "#test/support/ledger/schema-api.ts";
import {
  book,
  context,
  dataOf,
  install,
  PATH,
  read,
  report,
  runAll,
  transactionsOf,
} from "#test/support/payments/bookings.ts";
import { MIRROR, MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";
import { account, at, payment } from "#test/support/payments/provider-objects.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";

/** A script that fails if the account has too little money. */
const STRICT = `vars {
  monetary $amount
  account $from
}
send $amount (
  source = $from
  destination = @disputes
)`;
const SCHEMA = {
  ...MIRROR_SCHEMA,
  transactions: {
    ...MIRROR_SCHEMA.transactions,
    strict: { description: "A dispute", script: STRICT },
    foreign: {
      description: "Wants what bookings do not give",
      script: MIRROR.replaceAll("$to", "$whom"),
    },
  },
};

const newLedger = (): Promise<string> => ledgerWith(SCHEMA);

const accountOf = ({ id }: InstalledConnector, reference: string): string =>
  `payments:generic-${id.reference.slice(0, 8)}:${reference}`;

const LIFE: readonly ProviderPayment[] = [
  payment("p1", { destinationReference: "acc" }),
  payment("p2", { amount: 5n, status: "PENDING", destinationReference: "acc" }),
  payment("r1", { parentReference: "p1", amount: 30n, status: "REFUNDED", createdAt: at(1) }),
  payment("p2", { amount: 5n, status: "FAILED", createdAt: at(2), destinationReference: "acc" }),
  payment("t1", {
    type: "TRANSFER",
    amount: 7n,
    createdAt: at(3),
    sourceReference: "acc",
    destinationReference: "acc é/2",
  }),
];

describe("a booking", () => {
  let connector: InstalledConnector;
  let other: InstalledConnector;
  beforeAll(async () => {
    connector = await install();
    other = await install();
    for (const state of LIFE.slice(0, 3)) await report(connector, state);
    await report(other, ...LIFE);
  });

  test("a booking books each adjustment once and in order, what comes later too, and nothing of others", async () => {
    const ledger = await newLedger();
    const created = await book(connector, { ledger });
    expect(created.status).toBe(201);
    const { id } = await dataOf(created);
    await runAll();
    for (const state of LIFE) await report(connector, state);
    await Promise.all([runAll(), runAll(), runAll()]);
    await runAll();

    const acc = accountOf(connector, "acc");
    const transactions = await transactionsOf(ledger);
    const moves = transactions.map(({ postings: [posting] }) => [
      posting?.source,
      posting?.destination,
      posting?.amount,
    ]);
    expect(moves).toEqual([
      ["world", acc, 100n],
      ["world", acc, 0n],
      [acc, "world", 30n],
      ["world", acc, 0n],
      [acc, expect.stringMatching(/^payments:generic-[0-9a-f]{8}:acc___2-[0-9a-f]{12}$/), 7n],
    ]);
    expect(transactions.map(({ timestamp }) => timestamp)).toEqual(
      [0, 0, 1, 2, 3].map((seconds) => at(seconds).replace(".000000", "")),
    );
    expect(new Set(transactions.map(({ reference }) => reference)).size).toBe(5);
    expect(await read(id)).toMatchObject({ state: "RUNNING", booked: 5, failed: 0, pending: 0 });
    const balance = await new LedgerClient(context, ledger).balance(acc, "EUR/2");
    expect(balance).toBe(63n);
  });

  test("a booking rebuilds the same transactions in another ledger", async () => {
    const ledger = await newLedger();
    const { id } = await dataOf(await book(connector, { ledger }));
    await runAll();
    const again = await newLedger();
    const rebuilt = await api(`${PATH}/${id}/rebuild`, { method: "POST", body: { ledger: again } });
    expect(await dataOf(rebuilt)).toMatchObject({ ledger: again, booked: 0 });
    await runAll();
    expect(await transactionsOf(again)).toEqual(await transactionsOf(ledger));
    const refused = await api(`${PATH}/${id}/rebuild`, { method: "POST", body: { ledger } });
    expect(refused.status).toBe(400);
    expect(await read(id)).toMatchObject({ ledger: again, booked: 5 });
  });

  test("a booking goes on where the ledger refuses, and says what and why", async () => {
    const own = await install();
    const ledger = await newLedger();
    const { id } = await dataOf(await book(own, { ledger, templates: { DISPUTE: "strict" } }));
    await report(
      own,
      payment("d1", { status: "DISPUTE", destinationReference: "empty" }),
      payment("d2", { createdAt: at(1), destinationReference: "acc" }),
    );
    await runAll();
    expect(await read(id)).toMatchObject({ booked: 1, failed: 1, pending: 0 });
    const failures = await bodyOf(await api(`${PATH}/${id}/failures`));
    expect(failures).toMatchObject({
      cursor: { data: [{ message: expect.stringContaining("insufficient") as string }] },
    });
    const rebuilt = await newLedger();
    await api(`${PATH}/${id}/rebuild`, {
      method: "POST",
      body: { ledger: rebuilt, templates: {} },
    });
    await runAll();
    expect(await read(id)).toMatchObject({ booked: 2, failed: 0 });
  });

  test("a booking waits for a ledger that is away, and says so", async () => {
    const own = await install();
    const ledger = await newLedger();
    const { id } = await dataOf(await book(own, { ledger }));
    await api("/api/ledger/v2/_/buckets/_default", { method: "DELETE" });
    await report(own, payment("w1"), payment("w2", { createdAt: at(1) }));
    await runAll();
    expect(await read(id)).toMatchObject({ booked: 0, failed: 0, pending: 2 });
    expect((await read(id)).error).toContain("not found");
    // A booking whose wait is over, with nothing left to book, must not be looked at again and again.
    await env.DB.prepare(
      "UPDATE payment_bookings SET wait_until = ?, position = 1000000 WHERE id = ?",
    )
      .bind(at(0), id)
      .run();
    expect(await runBookings(context)).toBeUndefined();
    await env.DB.prepare("UPDATE payment_bookings SET position = 0 WHERE id = ?").bind(id).run();
    await api("/api/ledger/v2/_/buckets/_default/restore", { method: "POST" });
    await api(`${PATH}/${id}/resume`, { method: "POST" });
    await runAll();
    const { error, ...done } = await read(id);
    expect(done).toMatchObject({ booked: 2, pending: 0 });
    expect(error).toBeUndefined();
  });

  test("a booking books nothing while it is paused, all of it afterwards, and nothing once it is deleted", async () => {
    const own = await install();
    const ledger = await newLedger();
    const { id } = await dataOf(await book(own, { ledger }));
    const paused = await api(`${PATH}/${id}/pause`, { method: "POST" });
    expect(await dataOf(paused)).toMatchObject({ state: "PAUSED" });
    await report(own, payment("q1"));
    await runAll();
    expect(await transactionsOf(ledger)).toEqual([]);
    await api(`${PATH}/${id}/resume`, { method: "POST" });
    await runAll();
    expect(await transactionsOf(ledger)).toHaveLength(1);
    expect((await api(`${PATH}/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await api(`${PATH}/${id}`)).status).toBe(404);
    await report(own, payment("q2"));
    await runAll();
    expect(await transactionsOf(ledger)).toHaveLength(1);
  });

  test("a booking of a pool books what goes from and to its accounts, whatever connector they are of", async () => {
    const [one, two] = [await install(), await install()];
    const pooled = async (connector: InstalledConnector) => {
      const accounts = [account("inside"), account("outside")];
      await storePage(context, () =>
        prepareAccounts(context, { connector, type: "INTERNAL", accounts }),
      );
      return encodeOwnedId({ connector: connector.id, reference: "inside" });
    };
    const accountIDs = [await pooled(one), await pooled(two)];
    const pool = await api("/api/payments/v3/pools", { body: { name: freshName(), accountIDs } });
    const poolID = ((await bodyOf(pool)) as { data: string }).data;
    for (const connector of [one, two]) {
      await report(
        connector,
        payment("i1", { destinationReference: "inside" }),
        payment("o1", { destinationReference: "outside" }),
        payment("o2", { sourceReference: "inside", type: "PAYOUT", amount: 40n }),
      );
    }
    const ledger = await newLedger();
    const rules = { ledger, schemaVersion: "v1", template: "mirror" };
    const { id } = await dataOf(await api(PATH, { body: { poolID, ...rules } }));
    await runAll();
    expect(await read(id)).toMatchObject({ poolID, booked: 4, failed: 0, pending: 0 });
    const client = new LedgerClient(context, ledger);
    for (const connector of [one, two]) {
      expect(await client.balance(accountOf(connector, "inside"), "EUR/2")).toBe(60n);
      expect(await client.balance(accountOf(connector, "outside"), "EUR/2")).toBe(0n);
    }
    const connectorID = encodeConnectorId(one.id);
    const both = await api(PATH, { body: { poolID, connectorID, ...rules } });
    expect(both.status).toBe(400);
    expect((await api(PATH, { body: rules })).status).toBe(400);
    const unknown = { poolID: crypto.randomUUID(), ...rules };
    expect((await api(PATH, { body: unknown })).status).toBe(404);
    // The booking ends with the pool, but the transactions that it has booked stay.
    await api(`/api/payments/v3/pools/${poolID}`, { method: "DELETE" });
    expect((await api(`${PATH}/${id}`)).status).toBe(404);
    expect((await api(PATH, { body: { poolID, ...rules } })).status).toBe(404);
    await runAll();
    expect(await client.balance(accountOf(one, "inside"), "EUR/2")).toBe(60n);
  });

  test("a booking is refused where it does not fit", async () => {
    const ledger = await newLedger();
    const codeOf = async (rules: object): Promise<unknown> => {
      const response = await book(connector, { ledger, ...rules });
      return [response.status, ((await bodyOf(response)) as { errorCode: string }).errorCode];
    };
    expect(await codeOf({ ledger: freshName("none") })).toEqual([404, "LEDGER_NOT_FOUND"]);
    expect(await codeOf({ schemaVersion: "v9" })).toEqual([404, "NOT_FOUND"]);
    expect(await codeOf({ template: "none" })).toEqual([404, "NOT_FOUND"]);
    expect(await codeOf({ template: "foreign" })).toEqual([400, "VALIDATION"]);
    expect(await codeOf({ templates: { NEVER: "mirror" } })).toEqual([400, "VALIDATION"]);
    expect(await codeOf({ connectorID: "x" })).toEqual([400, "VALIDATION"]);
    const gone = { provider: "generic", reference: crypto.randomUUID() };
    expect(await codeOf({ connectorID: encodeConnectorId(gone) })).toEqual([400, "VALIDATION"]);
    expect((await book(connector, { ledger })).status).toBe(201);
    expect(await codeOf({})).toEqual([400, "CONFLICT"]);
  });

  test("a booking needs the right to write ledgers, too", async () => {
    const ledger = await newLedger();
    const connectorID = encodeConnectorId(connector.id);
    const body = { connectorID, ledger, schemaVersion: "v1", template: "mirror" };
    const response = await api(PATH, {
      method: "POST",
      body,
      token: await token("payments:write"),
    });
    expect(response.status).toBe(401);
  });
});
