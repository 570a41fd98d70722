import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { readSourceLines } from "#modules/reconciliation/sources/read-lines.ts";
import { sourceOf } from "#modules/reconciliation/sources/store.ts";
import { databaseOf } from "#platform/db/database.ts";
import { context, install, report } from "#test/support/payments/bookings.ts";
import { account, at, payment } from "#test/support/payments/provider-objects.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { dataOf, newLedger, pay } from "#test/support/reconciliation/books.ts";
import {
  collect,
  collectAll,
  newSource,
  readingContext,
} from "#test/support/reconciliation/sources.ts";

/** The days of 2026-03-01 and 2026-03-02, since 1970-01-01. */
const [FIRST, SECOND] = [20_513, 20_514];

const commit = async (ledger: string, body: object): Promise<string> => {
  const response = await api(`/api/ledger/v2/${ledger}/transactions?force=true`, { body });
  const { id } = await dataOf<{ id: number }>(response);
  return id.toString();
};

describe("lines of accounts", () => {
  test("each posting that touches the accounts is a line, with sign, ends, references and day", async () => {
    const ledger = await newLedger();
    const id = await commit(ledger, {
      postings: [
        { source: "world", destination: "bank:main", amount: 2n ** 70n, asset: "EUR/2" },
        { source: "bank:main", destination: "fees", amount: 5, asset: "EUR/2" },
        { source: "bank:main", destination: "bank:main", amount: 7, asset: "EUR/2" },
        { source: "bank:main", destination: "bank:other", amount: 0, asset: "EUR/2" },
        { source: "bank:main", destination: "bank:other", amount: 9, asset: "EUR/2" },
        { source: "world", destination: "users:1", amount: 11, asset: "EUR/2" },
      ],
      reference: "order-1",
      timestamp: "2026-03-01T23:59:59Z",
      metadata: { e2e: "E2E-1", empty: "" },
    });
    const references = { endToEndId: "e2e", text: "empty" };
    const fields = { kind: "accounts", ledger, account: "bank:", references };
    const both = await newSource(fields);
    const { lines, isLast, position } = await collect(both.id);
    expect({ isLast, position }).toEqual({ isLast: true, position: id });
    const brief = lines.map(({ sourceId, amount, evidence: { account: own, otherAccount } }) => [
      sourceId,
      amount,
      own,
      otherAccount,
    ]);
    expect(brief).toEqual([
      [`${id}.0.in`, 2n ** 70n, "bank:main", "world"],
      [`${id}.1.out`, -5n, "bank:main", "fees"],
      [`${id}.4.out`, -9n, "bank:main", "bank:other"],
      [`${id}.4.in`, 9n, "bank:other", "bank:main"],
    ]);
    expect(lines[0]).toMatchObject({
      day: FIRST,
      asset: "EUR/2",
      fee: undefined,
      corrects: undefined,
      texts: { providerId: "order-1", endToEndId: "E2E-1" },
      evidence: { ledger, transactionID: BigInt(id) },
    });
    const owed = await newSource({
      ...fields,
      account: "bank:main",
      direction: "out",
      negate: true,
    });
    expect((await collect(owed.id)).lines.map(({ amount }) => amount)).toEqual([5n, 9n]);
    const paidIn = await newSource({ ...fields, account: "bank:main", direction: "in" });
    expect((await collect(paidIn.id)).lines.map(({ sourceId }) => sourceId)).toEqual([
      `${id}.0.in`,
    ]);
  });

  test("pages follow each other without a gap, and later lines follow the last page, backdated ones, too", async () => {
    const ledger = await newLedger();
    const source = await newSource({ kind: "accounts", ledger, account: "bank" });
    expect(await collect(source.id)).toEqual({ lines: [], position: "", isLast: true });
    for (let count = 0; count < 7; count++) await pay(ledger, { to: "bank", amount: count + 1 });
    await pay(ledger, { to: "elsewhere", amount: 100 });
    const { lines, pages, position } = await collectAll(source.id, { limit: 3 });
    expect(pages).toBe(3);
    expect(lines.map(({ amount }) => amount)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n]);
    expect(await collect(source.id, { after: position })).toEqual({
      lines: [],
      position,
      isLast: true,
    });
    await pay(ledger, { to: "bank", amount: 99, timestamp: "2020-01-01T00:00:00Z" });
    const later = await collect(source.id, { after: position });
    expect(later.lines.map(({ amount, day }) => [amount, day])).toEqual([[99n, 18_262]]);
  });

  test("a transaction with more lines than a page has room for is given in parts", async () => {
    const ledger = await newLedger();
    const postings = Array.from({ length: 5 }, (_, index) => ({
      source: "world",
      destination: "bank",
      amount: index + 1,
      asset: "EUR/2",
    }));
    const id = await commit(ledger, { postings });
    await commit(ledger, { postings: postings.slice(0, 1) });
    const source = await newSource({ kind: "accounts", ledger, account: "bank" });
    const first = await collect(source.id, { limit: 2 });
    expect([first.position, first.isLast]).toEqual([`${id}.2`, false]);
    const { lines } = await collectAll(source.id, { limit: 2 });
    expect(lines.map(({ amount }) => amount)).toEqual([1n, 2n, 3n, 4n, 5n, 1n]);
  });

  test("lines of other days are passed over", async () => {
    const ledger = await newLedger();
    for (const day of ["02-28", "03-01", "03-02", "03-03"]) {
      await pay(ledger, { to: "bank", amount: 1, timestamp: `2026-${day}T00:00:00Z` });
    }
    const source = await newSource({ kind: "accounts", ledger, account: "bank" });
    const { lines } = await collectAll(source.id, { from: FIRST, to: SECOND, limit: 1 });
    expect(lines.map(({ day }) => day)).toEqual([FIRST, SECOND]);
  });

  test("the lines of a revert name the lines that they take back", async () => {
    const ledger = await newLedger();
    const id = await commit(ledger, {
      postings: [
        { source: "world", destination: "bank", amount: 10, asset: "EUR/2" },
        { source: "bank", destination: "fees", amount: 3, asset: "EUR/2" },
      ],
    });
    const answer = await api(`/api/ledger/v2/${ledger}/transactions/${id}/revert`, {
      method: "POST",
    });
    expect(answer.status).toBe(201);
    const source = await newSource({ kind: "accounts", ledger, account: "bank" });
    const { lines } = await collect(source.id);
    const byName = new Map(lines.map((line) => [line.sourceId, line]));
    const reverting = lines.filter(({ corrects }) => corrects !== undefined);
    expect(reverting).toHaveLength(2);
    for (const { corrects, amount } of reverting) {
      expect(byName.get(corrects ?? "")?.amount).toBe(-amount);
    }
  });

  test("a ledger that is deleted, and one that the reader may not read, say why", async () => {
    const bucket = freshName("bucket");
    const ledger = freshName("books");
    await api(`/api/ledger/v2/${ledger}`, { body: { bucket } });
    const source = await newSource({ kind: "accounts", ledger, account: "bank" });
    const reading = readingContext();
    const found = await sourceOf(reading, source.id);
    const query = { after: undefined, from: 0, to: undefined, limit: 10, collector: "m" };
    const bound = { ...reading, principal: { ...reading.principal, ledgers: ["other"] } };
    await expect(readSourceLines(bound, found, query)).rejects.toMatchObject({
      kind: "UNAUTHENTICATED",
      message: expect.stringContaining(`access to the ledger '${ledger}'`) as string,
    });
    const scopes = new Set(["reconciliation:read"]);
    const poor = { ...reading, principal: { ...reading.principal, scopes } };
    await expect(readSourceLines(poor, found, query)).rejects.toThrow("the scope ledger:read");
    expect((await api(`/api/ledger/v2/_/buckets/${bucket}`, { method: "DELETE" })).status).toBe(
      204,
    );
    await expect(collect(source.id)).rejects.toMatchObject({
      kind: "SOURCE_UNREADABLE",
      message: expect.stringContaining(`the source '${source.name}' cannot be read: `) as string,
    });
  });

  test("a text that is no position is refused", async () => {
    const source = await newSource({
      kind: "accounts",
      ledger: await newLedger(),
      account: "bank",
    });
    await expect(collect(source.id, { after: "x" })).rejects.toThrow("'x' is no position");
  });
});

describe("lines of payments", () => {
  test("each adjustment that moves money is a line, and later ones name the first one", async () => {
    const connector = await install();
    const { id } = await newSource({
      kind: "connector",
      connectorID: encodeConnectorId(connector.id),
    });
    await report(
      connector,
      payment("in", { amount: 100n }),
      payment("waits", { status: "PENDING" }),
      payment("out", {
        type: "PAYOUT",
        amount: 40n,
        sourceReference: "acc",
        destinationReference: "shop",
      }),
    );
    await report(connector, payment("in", { status: "REFUNDED", amount: 30n, createdAt: at(60) }));
    const { lines, isLast, position } = await collect(id);
    expect(isLast).toBe(true);
    const [first] = lines;
    expect(lines.map(({ amount, evidence: { category } }) => [amount, category])).toEqual([
      [100n, "PAY-IN SUCCEEDED"],
      [-40n, "PAYOUT SUCCEEDED"],
      [-30n, "PAY-IN REFUNDED"],
    ]);
    expect(lines.map(({ corrects }) => corrects)).toEqual([undefined, undefined, first?.sourceId]);
    expect(first).toMatchObject({ day: FIRST, asset: "EUR/2", texts: { providerId: "in" } });
    expect(lines[1]?.texts).toEqual({ providerId: "out", counterpartyAccount: "shop" });
    await report(connector, payment("late", { amount: 1n }));
    const later = await collect(id, { after: position });
    expect(later.lines.map(({ amount }) => amount)).toEqual([1n]);
  });

  test("a pool has the payments of its accounts, and both ends of a transfer between two of them", async () => {
    const connector = await install();
    const references = [freshName("a"), freshName("b")];
    const [a = "", b = ""] = references;
    const accounts = [a, b, "outside"].map((reference) => account(reference, { name: reference }));
    await storePage(context, () =>
      prepareAccounts(context, { connector, type: "INTERNAL", accounts }),
    );
    const accountIDs = references.map((reference) =>
      encodeOwnedId({ connector: connector.id, reference }),
    );
    const pool = await api("/api/payments/v3/pools", {
      body: { name: freshName("pool"), accountIDs },
    });
    const { data: poolID } = (await bodyOf(pool)) as { data: string }; // the schema of the answer has this shape
    const { id } = await newSource({ kind: "pool", poolID });
    const transfer = (reference: string, from: string, to: string) =>
      payment(reference, {
        type: "TRANSFER",
        sourceReference: from,
        destinationReference: to,
      });
    await report(
      connector,
      transfer("within", a, b),
      transfer("leaves", b, "outside"),
      payment("elsewhere", { destinationReference: "outside" }),
      payment("enters", { destinationReference: a, sourceReference: "customer" }),
    );
    const { lines } = await collectAll(id, { limit: 2 });
    expect(
      lines.map(({ amount, texts: { providerId }, evidence: { account: own } }) => [
        providerId,
        amount,
        own,
      ]),
    ).toEqual([
      ["within", -100n, a],
      ["within", 100n, b],
      ["leaves", -100n, b],
      ["enters", 100n, a],
    ]);
    expect(new Set(lines.map(({ sourceId }) => sourceId)).size).toBe(4);
    const own = await newSource({
      kind: "connector",
      connectorID: encodeConnectorId(connector.id),
    });
    const all = (await collect(own.id)).lines.map(
      ({ texts: { providerId }, amount }) => `${providerId} ${amount}`,
    );
    expect(all).toEqual([
      "within -100",
      "within 100",
      "leaves -100",
      "leaves 100",
      "elsewhere 100",
      "enters 100",
    ]);
    expect((await api(`/api/payments/v3/pools/${poolID}`, { method: "DELETE" })).status).toBe(204);
    await expect(collect(id)).rejects.toThrow(`there is no pool ${poolID}`);
  });

  test("a connector that is uninstalled says so", async () => {
    const connector = await install();
    const { id, name } = await newSource({
      kind: "connector",
      connectorID: encodeConnectorId(connector.id),
    });
    await databaseOf(env)
      .update(paymentConnectors)
      .set({ deletedAt: at(0) })
      .where(sql`key = ${connector.key}`);
    await expect(collect(id)).rejects.toThrow(`the source '${name}' cannot be read: the connector`);
  });
});
