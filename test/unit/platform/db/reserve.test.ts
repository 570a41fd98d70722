import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { beginLogin } from "#modules/auth/authorize/logins.ts";
import type { AuthorizeRequest } from "#modules/auth/core/authorize-request.ts";
import { beginSession } from "#modules/auth/people/sessions.ts";
import { webhookConfigs } from "#modules/webhooks/tables.ts";
import { AuditLog } from "#platform/audit/audit-log.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { fillReserve, RESERVE_SLOTS } from "#platform/db/reserve.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { runSweep } from "#platform/modules/sweeps.ts";
import { isStorageFull } from "#platform/storage-full.ts";
import { sweepReserve } from "#platform/storage/reserve-sweep.ts";
import { fromMillis } from "#platform/time.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";
import { eventOf, START_MS } from "#test/support/platform/outbox-world.ts";

const HOUR = 3_600_000;
const LOGIN = { clientId: "a", redirectUri: "https://a.example" } as unknown as AuthorizeRequest; // the login is stored without a check

/** Statements that add rows to all tables that a deletion or a login writes, so that no page of them has room left. */
const AUDIT_ROW = `INSERT INTO audit (date, issuer, subject, client_id, action, object, request_id)
  VALUES ('2026-01-01T00:00:00.000000Z', 'i', hex(randomblob(16)), hex(randomblob(16)), hex(randomblob(16)), hex(randomblob(16)), 'r')`;
const ROWS = [
  AUDIT_ROW,
  `INSERT INTO outbox (id, event, attempts, announce_at)
    VALUES (hex(randomblob(16)), '{}', 0, '2026-01-01T00:00:00.000000Z')`,
  `INSERT INTO auth_logins (hash, browser, request, expires_at)
    VALUES (hex(randomblob(16)), '', '', '2026-03-01T12:15:00.000000Z')`,
  `INSERT INTO auth_sessions (hash, person_id, authenticated_at, expires_at)
    VALUES (hex(randomblob(16)), 'p', '2026-01-01T00:00:00.000000Z', '2027-01-01T00:00:00.000000Z')`,
];

/** A deployment whose database has no room besides the reserve, with webhook configs and old entries of the audit. */
class FullWorld {
  readonly d1 = new NodeD1();
  nowMs = START_MS;
  readonly env = {
    DB: this.d1.binding,
    CLOCK: { getByName: () => ({ arm: async () => undefined, watch: async () => undefined }) },
    EVENTS: { sendBatch: async () => undefined },
  } as unknown as Env; // the code under test uses only these members

  readonly context: ServiceContext = {
    ...systemContext(this.env, "test"),
    clock: () => fromMillis(this.nowMs),
  };

  async start(configs: number, entries = 0): Promise<void> {
    this.d1.migrate();
    this.d1
      .exec(`INSERT INTO auth_people (id, issuer, subject, email, email_verified, name, scopes, version, sequence)
      VALUES ('p', 'i', 's', 'p@example.com', 1, 'P', '[]', '1', 1)`);
    this.d1.rows(
      `INSERT INTO webhook_configs (id, endpoint, secret, event_types, name, active, created_at, updated_at)
        SELECT 'config ' || value, '', '', '[]', '', 1, '', '' FROM json_each(?)`,
      JSON.stringify([...Array.from({ length: configs }).keys()]),
    );
    await fillReserve(this.d1.db);
    this.d1.exec("BEGIN");
    for (let count = 0; count < entries; count++) this.d1.exec(AUDIT_ROW);
    this.d1.exec("COMMIT");
    this.d1.fill(...ROWS);
  }

  change(action: string, object = "o"): AuditedChange {
    return new AuditedChange(this.context, { action, object });
  }

  /** Deletes a config, with an entry in the audit and an event. */
  async end(index: number, action = "webhooks.config.delete"): Promise<void> {
    const { db } = this.d1;
    await Outbox.from(this.context).publish({
      change: [
        db
          .update(webhookConfigs)
          .set({ deletedAt: this.context.clock() })
          .where(eq(webhookConfigs.id, `config ${index}`)),
      ],
      events: [{ event: eventOf(`e${index}`, "x".repeat(2000)) }],
      audit: this.change(action, `configs/${index}`),
    });
  }

  countOf(from: string): number {
    return this.d1.rows(`SELECT 1 FROM ${from}`).length;
  }

  get slots(): number {
    return this.countOf("storage_reserve");
  }
}

/** The error with which a call fails. */
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

let world: FullWorld;
beforeEach(() => {
  world = new FullWorld();
  vi.restoreAllMocks();
});

describe("a database without room", () => {
  test("a change that adds something to a full database is refused, and leaves the reserve alone", async () => {
    await world.start(2);
    const error = await failureOf(world.end(0, "webhooks.config.create"));
    expect(isStorageFull(error)).toBe(true);
    expect(world.countOf("webhook_configs WHERE deleted_at IS NOT NULL")).toBe(0);
    expect(world.slots).toBe(RESERVE_SLOTS);
  });

  test("deletions in a full database are stored with their audit entries and events, one after the other", async () => {
    await world.start(100);
    for (let index = 0; index < 100; index++) await world.end(index);
    expect(world.countOf("webhook_configs WHERE deleted_at IS NOT NULL")).toBe(100);
    expect(world.countOf("audit WHERE action = 'webhooks.config.delete'")).toBe(100);
    expect(world.countOf("outbox WHERE length(event) > 2000")).toBe(100);
    // Room that a release leaves over is taken back at once, so that no other write gets it.
    expect(world.slots).toBeGreaterThan(RESERVE_SLOTS - 60);
  });

  test("a change with a long event in a full database gets the larger part of the reserve", async () => {
    await world.start(1);
    const { db } = world.d1;
    await Outbox.from(world.context).publish({
      change: [db.update(webhookConfigs).set({ deletedAt: world.context.clock() })],
      events: [{ event: eventOf("long", "x".repeat(400_000)) }],
      isVital: true,
    });
    expect(world.countOf("outbox WHERE id = 'long'")).toBe(1);
  });

  test("a deletion for which the reserve is too small is refused as a whole", async () => {
    await world.start(1);
    world.d1.exec("DELETE FROM storage_reserve");
    world.d1.fill(...ROWS);
    expect(isStorageFull(await failureOf(world.end(0)))).toBe(true);
    expect(world.countOf("webhook_configs WHERE deleted_at IS NOT NULL")).toBe(0);
    expect(world.countOf("audit WHERE object = 'configs/0'")).toBe(0);
  });

  test("a change whose batch fails for another reason releases nothing", async () => {
    await world.start(1);
    const change = world.change("webhooks.config.delete");
    const taken = world.d1.db.update(webhookConfigs).set({ endpoint: sql`NULL` });
    await expect(change.store(taken)).rejects.toThrow("NOT NULL");
    expect(world.slots).toBe(RESERVE_SLOTS);
  });

  test("a person logs in although the database is full", async () => {
    await world.start(0);
    const id = await beginLogin(world.context, { request: LOGIN, browser: "b" });
    const loggedIn = { personId: "p", authenticatedAt: world.context.clock() };
    expect([id, await beginSession(world.context, loggedIn)]).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
  });

  test("logins of strangers to a full database leave half of the reserve to deletions, and go on", async () => {
    await world.start(1);
    for (let count = 0; count < 800; count++) {
      await beginLogin(world.context, {
        request: { ...LOGIN, state: "s".repeat(4000) },
        browser: "b",
      });
    }
    expect(world.slots).toBeGreaterThanOrEqual(RESERVE_SLOTS / 2);
    await world.end(0);
    expect(world.countOf("webhook_configs WHERE deleted_at IS NOT NULL")).toBe(1);
  });

  test("a purge makes room in a full database, and the sweep completes the reserve from it", async () => {
    await world.start(40, 5000);
    for (let index = 0; index < 40; index++) await world.end(index);
    expect(world.slots).toBeLessThan(RESERVE_SLOTS);
    const warned = vi.spyOn(console, "warn").mockReturnValue(undefined);
    expect(await sweepReserve(world.context)).toBe(world.nowMs + 60_000);
    expect(warned).toHaveBeenCalledOnce();
    world.nowMs += HOUR;
    const sweep = { name: "audit", run: purge, purges: true };
    await runSweep(sweep, world.context);
    expect(world.countOf("audit WHERE date < '2026-02-01'")).toBe(0);
    expect(await sweepReserve(world.context)).toBe(world.nowMs + HOUR);
    expect(world.slots).toBe(RESERVE_SLOTS);
    await Outbox.from(world.context).publish({
      change: [],
      events: [{ event: eventOf("new") }],
    });
  });
});

const purge = (context: ServiceContext) => AuditLog.from(context).purge(HOUR * 24);

test("a sweep that purges is run once more with a part of the reserve, and every other fails", async () => {
  await world.start(0);
  const run = async () => {
    for (let count = 0; count < 3; count++) world.d1.exec(AUDIT_ROW);
    return undefined;
  };
  const outcomeOf = (purges: boolean) => runSweep({ name: "x", run, purges }, world.context);
  await expect(outcomeOf(false)).rejects.toThrow("full");
  expect(await outcomeOf(true)).toEqual({ nextMs: undefined, wasPutOff: false });
});
