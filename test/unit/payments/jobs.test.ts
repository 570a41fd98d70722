import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createBankAccount } from "#modules/payments/bank-accounts/create.ts";
import { forwardBankAccount } from "#modules/payments/bank-accounts/forward.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { sweepJobs } from "#modules/payments/job-runner/run.ts";
import { paymentJobs } from "#modules/payments/jobs/tables.ts";
import { findTask } from "#modules/payments/tasks/store.ts";
import { runLinkCompletion } from "#modules/payments/users/complete-link.ts";
import { forwardUser } from "#modules/payments/users/forward.ts";
import { createLink } from "#modules/payments/users/links.ts";
import { receiveRedirect } from "#modules/payments/users/redirect.ts";
import { HeldError } from "#platform/arming/arming-watch.ts";
import { present } from "#platform/assert.ts";
import { SyncTable, type PendingRow } from "#platform/work/sync-table.ts";
import { PollingWorld } from "#test/support/payments/worlds/polling-world.ts";

const USER = "33333333-2222-4333-8444-555555555555";
const DAY_MS = 24 * 3_600_000;

let world: PollingWorld;
let connector: ConnectorId;
beforeEach(() => {
  world = new PollingWorld();
  // Jobs run by the clock of the machine.
  world.nowMs = Date.now();
});

describe("the forward of a bank account", () => {
  const jobs = () =>
    new SyncTable<PendingRow>(world.d1.db, { table: paymentJobs, isFinal: sql`1` });
  const claim = () => jobs().claim({ nowMs: world.nowMs, untilMs: world.nowMs + 60_000, limit: 9 });
  let bankAccountId: string;
  beforeEach(async () => {
    // The generic provider creates no accounts for bank accounts, so the task fails.
    connector = await world.install("generic");
    const made = await createBankAccount(world.context, {
      name: "Rent",
      numbers: { iban: "FR7630006000011234567890189" },
      metadata: {},
    });
    bankAccountId = made.id;
  });
  const forward = () =>
    forwardBankAccount(world.context, { bankAccountId, connectorId: connector });
  const statusOf = async () => {
    const id = TASK_IDS.createBankAccount(connector, bankAccountId);
    return (await findTask(world.context, id))?.status;
  };

  test("the forward of a bank account that is held has had no attempt, and is due again soon", async () => {
    await forward();
    const kind = present(kindOf("generic"), "it is a kind");
    const create = vi.spyOn(kind, "create").mockImplementation(() => {
      throw new HeldError("DISARMED", "the deployment is disarmed");
    });
    await sweepJobs(world.context);
    expect(create).toHaveBeenCalledOnce();
    create.mockRestore();
    const [job] = world.d1.rows("SELECT sync_attempts, sync_after FROM payment_jobs");
    expect(job).toMatchObject({ sync_attempts: 0 });
    const waitMs = Date.parse(String(job?.["sync_after"])) - Date.now();
    expect([waitMs > 10_000, waitMs <= 15_000]).toEqual([true, true]);
    expect(await statusOf()).toBe("PROCESSING");
  });

  test("the forward of a bank account that has failed is done again, also when its last run is about to be forgotten", async () => {
    await forward();
    // The run ends the task, and is cut off before it removes its job.
    const claimed = await claim();
    await sweepLike("FAILED");
    await forward();
    await jobs().confirm(claimed);
    expect(world.count("payment_jobs")).toBe(1);
    await sweepJobs(world.context);
    expect([await statusOf(), world.count("payment_jobs")]).toEqual(["FAILED", 0]);
  });

  /** Ends the task as a run does. */
  const sweepLike = async (status: string) => {
    world.d1.exec(`UPDATE payment_tasks SET status = '${status}', error = 'no'`);
  };

  test("the forward of a bank account that goes on is begun once", async () => {
    const [one, two] = await Promise.all([forward(), forward()]);
    expect(one.id).toEqual(two.id);
    expect(world.count("payment_jobs")).toBe(1);
    await Promise.all([sweepJobs(world.context), sweepJobs(world.context)]);
    expect([await statusOf(), world.count("payment_jobs")]).toEqual(["FAILED", 0]);
  });

  test("the forward of a bank account makes nothing at a connector that is being uninstalled", async () => {
    await forward();
    world.d1.exec("UPDATE payment_connectors SET deleted_at = '2026-01-01T00:00:00.000000Z'");
    await sweepJobs(world.context);
    expect([await statusOf(), world.count("payment_jobs")]).toEqual(["PROCESSING", 0]);
  });
});

describe("the completion of a link", () => {
  beforeEach(async () => {
    connector = await world.install("dummypay");
    world.d1.exec(`INSERT INTO payment_users (id, name, metadata, metadata_bits, created_at)
      VALUES ('${USER}', 'Ada', '{}', 0, '2026-01-01T00:00:00.000000Z')`);
    await forwardUser(world.context, { userId: USER, connectorId: connector });
  });
  const link = async () => {
    const created = await createLink(world.context, {
      userId: USER,
      connectorId: connector,
      clientRedirectUrl: "https://app.example.com",
      publicUrl: "https://pay.example.com",
    });
    const query = Object.fromEntries(
      [...new URL(created.url).searchParams].map(([name, value]) => [name, [value]]),
    );
    return { attemptId: created.attemptId, callback: { query, headers: {}, body: "" } };
  };
  const receive = ({ callback }: Awaited<ReturnType<typeof link>>) =>
    receiveRedirect(world.context, { connectorId: connector, callback });
  const attempts = () => world.d1.rows("SELECT status, error FROM payment_link_attempts");
  const told = () => world.count("outbox", "event LIKE '%USER_LINK_STATUS%'");

  test("the completion of a link happens once, however often the browser comes back", async () => {
    const made = await link();
    await Promise.all([receive(made), receive(made), receive(made)]);
    await Promise.all([sweepJobs(world.context), sweepJobs(world.context)]);
    await receive(made);
    await sweepJobs(world.context);
    expect(attempts()).toMatchObject([{ status: "completed", error: null }]);
    expect([world.count("payment_user_connections"), told()]).toEqual([1, 1]);
    expect(world.count("payment_jobs")).toBe(0);
  });

  test("the completion of a link stores one outcome of two runs at a time", async () => {
    const { attemptId, callback } = await link();
    const job = { kind: "complete-link", attemptId, connector, callback } as const;
    const failed = { ...job, callback: { ...callback, query: { status: ["odd"] } } };
    await Promise.all([job, job, failed].map((it) => runLinkCompletion(world.context, it)));
    const [attempt] = attempts();
    expect(told()).toBe(1);
    expect(world.count("payment_user_connections")).toBe(
      attempt?.["status"] === "completed" ? 1 : 0,
    );
  });

  test("the completion of a link comes too late when the link has expired", async () => {
    world.nowMs -= DAY_MS;
    const made = await link();
    world.nowMs += DAY_MS;
    await receive(made);
    await sweepJobs(world.context);
    expect(attempts()).toMatchObject([{ status: "exited", error: "the link has expired" }]);
    expect(world.count("payment_user_connections")).toBe(0);
  });
});
