import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import type { ConnectorId, OwnedId } from "#modules/payments/core/ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { claimMovements } from "#modules/payments/initiations/movement-rows.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import { lookUp } from "#modules/payments/looking/look-up.ts";
import { beginLookup, readLookups } from "#modules/payments/lookups/lookup-rows.ts";
import { execute } from "#modules/payments/movements/execute.ts";
import { databaseOf } from "#platform/db/database.ts";
import {
  genericAccount,
  genericTransaction,
  usePollingBench,
} from "#test/support/payments/polling-bench.ts";

const bench = usePollingBench();

/** The transactions of the provider, and its answer to everything while it is away. */
let transactions: object[] = [];
let away: Response | undefined;
/** What the provider answers to a question about a movement, which it does not offer. */
let noSuchPath = (): Response => new Response(null, { status: 405 });

/** The answers of a provider that does not offer the optional `GET /movements/{idempotencyKey}`. */
const answer = (url: URL): Response => {
  if (away !== undefined) return away.clone();
  const isFirst = url.searchParams.get("page") === "1";
  if (url.pathname === "/accounts") {
    return Response.json(isFirst ? ["main", "landlord"].map((id) => genericAccount(id)) : []);
  }
  if (url.pathname === "/transactions") return Response.json(isFirst ? transactions : []);
  if (url.pathname === "/payouts") {
    const at = new Date(bench.world.nowMs).toISOString();
    const made = genericTransaction("sent", { createdAt: at, updatedAt: at });
    return Response.json({ ...made, type: undefined });
  }
  if (url.pathname.startsWith("/movements/")) {
    return noSuchPath();
  }
  return url.pathname.endsWith("/balances")
    ? Response.json({ title: "Not found" }, { status: 404 })
    : Response.json([]);
};

/** A copy of a deployment with an open payout for each reference; the copy is armed when this resolves. */
async function openCopy(...references: readonly string[]): Promise<ConnectorId> {
  transactions = [];
  away = undefined;
  noSuchPath = () => Response.json({ title: "Method not allowed" }, { status: 405 });
  bench.answer = answer;
  const connector = await bench.world.install("generic");
  await bench.world.settle(connector);
  for (const reference of references) {
    await createInitiation(bench.world.context, {
      connector,
      reference,
      description: "rent",
      type: "PAYOUT",
      amount: 100n,
      asset: "EUR/2",
      source: { connector, reference: "main" },
      destination: { connector, reference: "landlord" },
      metadata: {},
      isSent: true,
    });
  }
  bench.world.nowMs += 60_000;
  const [first, ...others] = beginLookup(bench.world.context, connector.reference, {
    isSkipped: false,
    condition: sql`TRUE`,
  });
  if (first !== undefined) await databaseOf(bench.world.context.env).batch([first, ...others]);
  bench.calls.length = 0;
  return connector;
}

/** Lets the connector's object ring, as its alarms do, until the look-up has ended or `untilMs`. Returns whether it has ended. */
async function ring(connector: ConnectorId, untilMs = bench.world.nowMs + 600_000) {
  while (bench.world.nowMs <= untilMs) {
    const next = await bench.world.run(connector);
    const { atMs, hasEnded } = await lookUp(bench.world.context, connector.reference, openPlugin);
    if (hasEnded) return true;
    const nextMs = Math.min("atMs" in next ? next.atMs : Infinity, atMs);
    bench.world.nowMs = Math.max(nextMs, bench.world.nowMs + 1);
  }
  return false;
}

/** Makes the due movements. Returns how many payouts the provider was asked for. */
async function send({ reference }: ConnectorId): Promise<number> {
  const { context } = bench.world;
  for (const movement of await claimMovements(context, { reference, limit: 10 })) {
    await execute(context, openPlugin, movement);
  }
  return bench.calls.filter((path) => path === "/payouts").length;
}

const statusOf = async (connector: ConnectorId, reference: string): Promise<string> => {
  const id: OwnedId = { connector, reference };
  return (await getInitiation(bench.world.context, id)).state.status;
};

/** The transaction of a payout that the original has made. */
const paid = (reference: string) => {
  const at = new Date(bench.world.nowMs).toISOString();
  const made = { type: "PAYOUT", createdAt: at, updatedAt: at, relatedTransactionID: reference };
  return genericTransaction(`tx-${reference}`, made);
};

describe("a polled look-up", () => {
  test("a polled look-up finds what the original has paid in the provider's list, and the rest is paid once", async () => {
    const connector = await openCopy("paid", "unpaid");
    transactions = [paid("paid")];
    const beganMs = bench.world.nowMs;
    expect(await send(connector)).toBe(0);
    expect(await ring(connector)).toBe(true);
    // A run counts that began a minute after the arming, and the next period is not waited for.
    expect(bench.world.nowMs - beganMs).toBeGreaterThanOrEqual(60_000);
    expect(bench.world.nowMs - beganMs).toBeLessThan(90_000);
    expect(await statusOf(connector, "paid")).toBe("PROCESSED");
    expect(await send(connector)).toBe(1);
    expect(await statusOf(connector, "unpaid")).toBe("PROCESSED");
    expect(await send(connector)).toBe(1);
  });

  test("a polled look-up waits while the provider is away, or lists what cannot be read, and then ends by itself", async () => {
    const connector = await openCopy("unpaid");
    away = Response.json({ title: "maintenance" }, { status: 503 });
    expect(await ring(connector, bench.world.nowMs + 1_800_000)).toBe(false);
    expect(await readLookups(bench.world.context)).toMatchObject([
      { lastError: expect.stringContaining("maintenance") as string },
    ]);
    expect(await send(connector)).toBe(0);
    away = undefined;
    transactions = [{ ...genericTransaction("broken"), amount: "1.5" }];
    expect(await ring(connector)).toBe(false);
    expect(await readLookups(bench.world.context)).toMatchObject([
      { endedAt: null, lastError: expect.stringContaining("broken is set aside") as string },
    ]);
    expect(await send(connector)).toBe(0);
    transactions = [genericTransaction("broken")];
    expect(await ring(connector)).toBe(true);
    expect(await send(connector)).toBe(1);
  });

  test("a polled look-up takes a page for people for no answer about a movement", async () => {
    const connector = await openCopy("paid", "unpaid");
    transactions = [paid("paid")];
    noSuchPath = () => new Response("<!doctype html><title>Welcome</title>");
    expect(await ring(connector)).toBe(true);
    expect(await statusOf(connector, "paid")).toBe("PROCESSED");
    expect(await send(connector)).toBe(1);
  });
});
