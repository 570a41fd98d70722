import { describe, expect, test } from "vitest";
import { authSettings } from "#modules/auth/settings.ts";
import { AuditLog } from "#platform/audit/audit-log.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { at } from "#test/support/ledger-engine/fixtures.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const NOW_MS = toMillis(at("12:00"));
const HOUR_MS = 3_600_000;

/** An audit log with entries of the given ages in milliseconds. */
function auditOf(ages: readonly number[]) {
  const d1 = new NodeD1();
  d1.migrate();
  for (const age of ages) {
    d1.rows(
      "INSERT INTO audit (date, issuer, subject, client_id, action, object, request_id) VALUES (?, '', '', '', '', '', '')",
      fromMillis(NOW_MS - age),
    );
  }
  const log = new AuditLog(d1.db, () => fromMillis(NOW_MS));
  const count = () => d1.rows("SELECT id FROM audit").length;
  return { d1, log, count };
}

describe("the audit", () => {
  test("the audit is kept for the longest retention that a deployment may have", async () => {
    const { log, count } = auditOf([HOUR_MS]);
    const settings = authSettings.parse({ FLORIN_AUDIT_RETENTION: "876000h" });
    const nextMs = await log.purge(settings.FLORIN_AUDIT_RETENTION);
    expect(nextMs).toBe(NOW_MS + 875_999 * HOUR_MS + 1);
    expect(count()).toBe(1);
  });

  test("the audit keeps entries for the retention, and purges them afterwards", async () => {
    const { log, count } = auditOf([HOUR_MS + 1, HOUR_MS, 10]);
    expect(await log.purge(HOUR_MS)).toBe(NOW_MS + 1);
    expect(count()).toBe(2);
    expect(await log.purge(20)).toBe(NOW_MS + 11);
    expect(count()).toBe(1);
    expect(await log.purge(0)).toBeUndefined();
    expect(count()).toBe(0);
  });

  test("the audit is purged in bounded slices, the oldest entries first, each right after the other", async () => {
    const { d1, log, count } = auditOf(Array.from({ length: 21_000 }, (_, index) => 1000 + index));
    const statements: number[] = [];
    d1.onStep = (when) => {
      if (when === "after") statements.push(count());
    };
    expect(await log.purge(1)).toBe(NOW_MS);
    expect(statements.slice(0, 3)).toEqual([20_000, 19_000, 18_000]);
    expect(count()).toBe(1000);
    expect(d1.rows("SELECT min(date) AS date FROM audit")).toEqual([
      { date: fromMillis(NOW_MS - 1999) },
    ]);
    expect(await log.purge(1)).toBeUndefined();
    expect(count()).toBe(0);
  });
});
