import { describe, expect, test } from "vitest";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { readReport } from "#modules/payments/health/read.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import {
  genericAccount,
  genericBalances,
  genericTransaction,
  usePollingBench,
} from "#test/support/payments/polling-bench.ts";

const HOUR_MS = 3_600_000;
const bench = usePollingBench();

/**
 * An outage of a provider, and the worst health that a connector shows. Waits that the provider asks for are longer, so that no
 * schedule fails ten times in six hours.
 */
interface Outage {
  readonly name: string;
  readonly outage: () => Response;
  readonly worst?: "failing";
}

/** Answers and failures of a provider that is down. */
const OUTAGES: readonly Outage[] = [
  { name: "refuses the connection", outage: () => fail("connect ECONNREFUSED 192.0.2.1:443") },
  { name: "loses the connection", outage: () => fail("Network connection lost.") },
  {
    name: "fails inside the runtime",
    outage: () => fail("internal error; reference = 0123456789abcdef"),
  },
  {
    name: "answers after the time is over",
    outage: () => fail("The operation was aborted due to timeout"),
  },
  { name: "answers 500", outage: () => Response.json({ message: "oops" }, { status: 500 }) },
  {
    name: "answers 502 with a page",
    outage: () => new Response("<html>Bad Gateway</html>", { status: 502 }),
  },
  { name: "answers 503 with a time", outage: () => busy(503, "600"), worst: "failing" },
  { name: "answers 429 with a time", outage: () => busy(429, "900"), worst: "failing" },
  {
    name: "answers 403",
    outage: () => Response.json({ message: "the key is revoked" }, { status: 403 }),
  },
  { name: "answers 200 with a page", outage: () => new Response("<html>Maintenance</html>") },
  { name: "answers 200 with another form", outage: () => Response.json({ state: "maintenance" }) },
];

const fail = (message: string): never => {
  throw new Error(message);
};
const busy = (status: number, retryAfter?: string): Response =>
  new Response(null, {
    status,
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
  });

/** A provider with two accounts and some transactions, which are all older than the test. */
const provider =
  (transactions: readonly string[]) =>
  (url: URL): Response => {
    const isFirst = url.searchParams.get("page") === "1";
    const of = /^\/accounts\/(.*)\/balances$/.exec(url.pathname)?.[1];
    if (of !== undefined) return Response.json(genericBalances(of));
    if (!isFirst) return Response.json([]);
    if (url.pathname === "/accounts") return Response.json(["a", "b"].map(genericAccount));
    if (url.pathname !== "/transactions") return Response.json([]);
    return Response.json(transactions.map((id) => genericTransaction(id)));
  };

/**
 * Lets a connector run until a time. If `isContested`, two runs try each step at once. Returns the statuses that its health has
 * shown.
 */
async function workUntil(
  id: ConnectorId,
  untilMs: number,
  { isContested }: { readonly isContested: boolean },
): Promise<string[]> {
  const shown: string[] = [];
  for (;;) {
    const [next] = await Promise.all([
      bench.world.run(id),
      ...(isContested ? [bench.world.run(id)] : []),
    ]);
    const { health } = await readReport(bench.world.context, id);
    if (shown.at(-1) !== health) shown.push(health);
    const atMs = "atMs" in next ? next.atMs : Infinity;
    if (atMs > untilMs) break;
    bench.world.nowMs = Math.max(bench.world.nowMs, atMs);
  }
  bench.world.nowMs = untilMs;
  return shown;
}

describe("a provider that is away for six hours", () => {
  test.each(OUTAGES)(
    "a provider that is away for six hours and $name is asked again within an hour of its return",
    async ({ name, outage, worst }) => {
      const tries = { isContested: name.startsWith("answers 20") };
      bench.answer = provider(["before"]);
      const id = await bench.world.install("generic");
      const startMs = bench.world.nowMs;
      expect(await workUntil(id, startMs + HOUR_MS, tries)).toEqual(["healthy"]);

      bench.answer = outage;
      expect(await workUntil(id, startMs + 7 * HOUR_MS, tries)).toEqual([
        "healthy",
        "failing",
        ...(worst === undefined ? ["paused"] : []),
      ]);
      const away = await readReport(bench.world.context, id);
      expect(away.lastError).toMatch(/GET \/(?:accounts|beneficiaries|transactions)/);
      expect(away.lastError).not.toMatch(/network connection lost|reference =/i);
      expect(toMillis(away.since)).toBeGreaterThan(startMs + HOUR_MS);
      expect(away.nextRunAt).toBeDefined();

      const returnMs = bench.world.nowMs;
      bench.answer = provider(["before", "during"]);
      expect(await workUntil(id, returnMs + HOUR_MS, tries)).toEqual([
        worst ?? "paused",
        "healthy",
      ]);
      const succeeded = bench.world.d1.rows("SELECT last_success_at AS at FROM payment_schedules");
      expect(succeeded).toHaveLength(3);
      for (const { at } of succeeded) expect(at as Timestamp).toBeTruthy();
      const first = fromMillis(returnMs);
      expect(succeeded.filter(({ at }) => (at as Timestamp) >= first)).toHaveLength(3);

      expect(bench.news()).toEqual([
        "CONNECTOR_FAILING",
        ...(worst === undefined ? ["CONNECTOR_PAUSED"] : []),
        "CONNECTOR_RECOVERED",
      ]);
      expect(bench.world.count("payment_payments")).toBe(2);
      expect(bench.world.count("payment_adjustments")).toBe(2);
      expect(bench.world.count("outbox", "event ->> '$.type' = 'SAVED_PAYMENT'")).toBe(2);
      expect(bench.world.count("payment_accounts")).toBe(2);
    },
  );
});
