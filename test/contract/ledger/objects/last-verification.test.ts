import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { clientWith } from "#test/support/auth/clients.ts";
import {
  createLedger,
  freshLedger,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
} from "#test/support/ledger/api.ts";
import { ALL_SCOPES, api, freshName, token } from "#test/support/platform/api.ts";

interface Report {
  readonly status: string;
  readonly at?: string;
  readonly lastLogId: number;
  readonly totals: readonly { readonly input: number }[];
  readonly differences: readonly unknown[];
}

interface Last {
  readonly last?: Report;
  readonly inconsistentSince?: string;
}

async function verified(ledger: string): Promise<Report> {
  for (let call = 0; call < 20; call++) {
    const path = `/api/florin/v1/ledgers/${ledger}/verify`;
    const { data } = await okBodyOf<{ data: Report }>(api(path, { method: "POST" }));
    if (data.status !== "running") return data;
    expect(data.at).toBeUndefined();
  }
  throw new Error("the verification does not end");
}

async function lastOf(ledger: string): Promise<Last> {
  const path = `/api/florin/v1/ledgers/${ledger}/verification`;
  return (await okBodyOf<{ data: Last }>(api(path))).data;
}

interface Page {
  readonly cursor: {
    readonly data: readonly Inconsistent[];
    readonly next?: string;
    readonly hasMore: boolean;
  };
}

/** More ledgers than the tests of this file make. */
const FOUND_MAX = 20;

interface Inconsistent {
  readonly ledger: string;
  readonly inconsistentSince: string;
}

/** All ledgers in the list, read in pages of one. */
async function inconsistent(bearer?: string): Promise<Inconsistent[]> {
  const found: Inconsistent[] = [];
  for (let query: string | undefined = "pageSize=1"; query !== undefined;) {
    const init = bearer === undefined ? {} : { token: bearer };
    const { cursor }: Page = await okBodyOf<Page>(
      api(`/api/florin/v1/inconsistent-ledgers?${query}`, init),
    );
    found.push(...cursor.data);
    if (found.length > FOUND_MAX) throw new Error("the list does not end");
    query = cursor.hasMore ? `cursor=${cursor.next ?? ""}` : undefined;
  }
  return found;
}

const namesOf = (found: readonly Inconsistent[]): string[] => found.map(({ ledger }) => ledger);

const setInput = (ledger: string, input: number) =>
  runInDurableObject(objectOf(ledger), (_object, state) => {
    // A bound number would be stored as a floating-point number.
    state.storage.sql.exec(`UPDATE move SET input = ${input} WHERE account = 2`);
  });

/** A ledger whose last verification found a difference. */
async function damagedLedger(name = freshName("damaged")): Promise<string> {
  await createLedger(name);
  await okBodyOf(post(name, pay("world -> a", 5)));
  await setInput(name, 6);
  expect((await verified(name)).status).toBe("inconsistent");
  return name;
}

describe("the last verification of a ledger", () => {
  test("a ledger that was never verified has no last verification", async () => {
    const ledger = await freshLedger();
    expect(await lastOf(ledger)).toEqual({});
    expect(namesOf(await inconsistent())).not.toContain(ledger);
  });

  test("the last verification is kept with its date", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 2n ** 60n)));
    const report = await verified(ledger);
    expect(report).toMatchObject({ status: "consistent", lastLogId: 1, differences: [] });
    expect(report.at).toMatch(/^20\d\d-.*Z$/);
    expect(await lastOf(ledger)).toEqual({ last: report });
  });

  test("a ledger with differences is listed since the first of them, until a verification finds none", async () => {
    const ledger = await damagedLedger();
    const first = await lastOf(ledger);
    expect(first.last).toMatchObject({ status: "inconsistent", at: first.inconsistentSince });
    expect(first.last?.differences).toHaveLength(1);
    await verified(ledger);
    const second = await lastOf(ledger);
    expect(second.inconsistentSince).toBe(first.inconsistentSince);
    expect((await inconsistent()).filter((it) => it.ledger === ledger)).toEqual([
      { ledger, inconsistentSince: first.inconsistentSince },
    ]);
    await setInput(ledger, 5);
    const good = await verified(ledger);
    expect(await lastOf(ledger)).toEqual({ last: good });
    expect(namesOf(await inconsistent())).not.toContain(ledger);
  });

  test("a verification whose result cannot be recorded fails, and the next one records its own", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 5)));
    await setInput(ledger, 6);
    await runInDurableObject(env.AUDITS.getByName(ledger), (audit) => {
      const DB = {
        prepare: () => {
          throw new Error("no database");
        },
      };
      Object.assign(audit, { env: { ...env, DB } });
    });
    const path = `/api/florin/v1/ledgers/${ledger}/verify`;
    expect((await api(path, { method: "POST" })).status).toBeGreaterThanOrEqual(500);
    expect(await lastOf(ledger)).toEqual({});
    await runInDurableObject(env.AUDITS.getByName(ledger), (audit) => {
      Object.assign(audit, { env });
    });
    expect((await verified(ledger)).status).toBe("inconsistent");
    expect(namesOf(await inconsistent())).toContain(ledger);
  });

  test("a principal that is bound to ledgers finds only its own in the list", async () => {
    const prefix = freshName("eu");
    const [mine, other] = [await damagedLedger(`${prefix}-1`), await damagedLedger()];
    const metadata = { ledgers: [`${prefix}-*`] };
    const bound = (await clientWith({ scopes: ALL_SCOPES, metadata })).token;
    expect(namesOf(await inconsistent(bound))).toEqual([mine]);
    expect(namesOf(await inconsistent())).toEqual(expect.arrayContaining([mine, other]));
  });

  test("a client that may only read a ledger reads its last verification, and lists ledgers with differences", async () => {
    const ledger = await damagedLedger();
    const reader = { token: await token("ledger:read") };
    const path = `/api/florin/v1/ledgers/${ledger}/verification`;
    expect((await api(path, reader)).status).toBe(200);
    expect((await api("/api/florin/v1/inconsistent-ledgers", reader)).status).toBe(200);
    const stranger = { token: await token("payments:read") };
    expect((await api(path, stranger)).status).toBe(401);
    expect((await api("/api/florin/v1/inconsistent-ledgers", stranger)).status).toBe(401);
    const missing = api(`/api/florin/v1/ledgers/${freshName()}/verification`);
    expect(await refusalOf(missing)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });
});
