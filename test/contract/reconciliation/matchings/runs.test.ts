import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { matchingObjectOf } from "#modules/reconciliation/matchings/object-calls.ts";
import { startRun } from "#modules/reconciliation/matchings/runs.ts";
import { systemContext } from "#platform/context.ts";
import { clientWith, makeClient } from "#test/support/auth/clients.ts";
import { acting, asAdministrator } from "#test/support/auth/takeover.ts";
import { ALL_SCOPES, api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";
import { dataOf, pageOf } from "#test/support/reconciliation/books.ts";
import {
  MATCHINGS,
  newMatching,
  type RunView,
  type TestMatching,
} from "#test/support/reconciliation/matchings.ts";

const revert = async ({ ledgers }: TestMatching, side: "left" | "right", id: number) => {
  const path = `/api/ledger/v2/${ledgers[side]}/transactions/${id}/revert?force=true`;
  expect((await api(path, { method: "POST" })).status).toBe(201);
};

describe("runs", () => {
  test("collect what they do not know, match what is open, and leave the rest as it is", async () => {
    const matching = await newMatching();
    await matching.book(["left", "right"], "order-1");
    await matching.book(["left"], "order-2");
    expect(await matching.run()).toMatchObject({
      id: 1,
      state: "done",
      phase: "",
      collected: { left: 2, right: 1 },
      matched: 1,
      proposed: 0,
      open: 1,
      by: { subject: "test-client" },
    });
    await matching.book(["right"], "order-2", { timestamp: "2026-02-11T10:00:00Z" });
    expect(await matching.run()).toMatchObject({
      id: 2,
      collected: { left: 0, right: 1 },
      matched: 1,
      open: 0,
    });
    expect(await matching.run()).toMatchObject({
      id: 3,
      collected: { left: 0, right: 0 },
      matched: 0,
      open: 0,
    });
    expect(await matching.groups("state=matched")).toMatchObject([
      { id: 2, run: 2 },
      { id: 1, run: 1 },
    ]);
    expect(await dataOf(await api(`${matching.path}/groups/2`))).toMatchObject({
      evidence: {
        keys: [{ left: "endToEndId", right: "endToEndId", text: "order2" }],
        sums: [{ asset: "EUR/2", left: 1000, right: 1000 }],
        days: 1,
      },
      left: { count: 1, lines: [{ ledger: matching.ledgers.left, transactionID: 2 }] },
      decisions: [],
    });
    await eventually(async () => {
      const runs = await pageOf<RunView>(await api(`${matching.path}/runs`));
      expect(runs.data.map(({ id, state }) => [id, state])).toEqual([
        [3, "done"],
        [2, "done"],
        [1, "done"],
      ]);
      expect(await dataOf(await api(matching.path))).toMatchObject({ lastRun: runs.data[0] });
    });
  });

  test("begin one after the other", async () => {
    const matching = await newMatching();
    await matching.book(["left"], "order-1");
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => api(`${matching.path}/runs`, { method: "POST" })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 202 && status !== 409)).toEqual([]);
    expect(statuses).toContain(202);
    await eventually(async () => {
      const { data } = await pageOf<RunView>(await api(`${matching.path}/runs`));
      expect(data.filter(({ state }) => state !== "done")).toEqual([]);
    });
    expect(await matching.lines()).toHaveLength(1);
  });

  test("keep amounts beyond 2^53 exact", async () => {
    const matching = await newMatching();
    const amount = 2n ** 80n + 1n;
    await matching.book(["left", "right"], "order-1", { amount });
    await matching.book(["left"], "order-2", { amount });
    await matching.book(["right"], "order-2", { amount: amount + 1n });
    await matching.run();
    expect(await matching.lines("state=matched")).toMatchObject([{ amount }, { amount }]);
    expect(await matching.lines("class=amount")).toMatchObject([
      { amount: amount + 1n },
      { amount },
    ]);
  });

  test("go on after their object was lost", async () => {
    const matching = await newMatching();
    for (let order = 0; order < 5; order += 1)
      await matching.book(["left", "right"], `order-${order}`);
    const { id } = await matching.start();
    await evict(matchingObjectOf(env, matching.id));
    await eventually(async () => {
      const run = await dataOf<RunView>(await api(`${matching.path}/runs/${id}`));
      expect(run).toMatchObject({ state: "done", matched: 5, open: 0 });
    });
    expect(await matching.groups()).toHaveLength(5);
  });
});

describe("a transaction that is reverted", () => {
  test("after it was matched opens its match, and is grouped with its revert", async () => {
    const matching = await newMatching();
    await matching.book(["left", "right"], "order-1");
    await matching.run();
    await revert(matching, "left", 1);
    expect(await matching.run()).toMatchObject({ matched: 1, open: 1 });
    expect(await dataOf(await api(`${matching.path}/groups/1`))).toMatchObject({
      state: "broken",
      decisions: [{ what: "reopen", run: 2, by: { subject: "test-client" } }],
    });
    expect(await dataOf(await api(`${matching.path}/groups/2`))).toMatchObject({
      state: "matched",
      pass: "taken back",
      left: { count: 2, lines: [{ amount: 1000 }, { amount: -1000 }] },
      right: { count: 0 },
    });
  });

  test("leaves the booking that replaces it to the other side", async () => {
    const matching = await newMatching();
    await matching.book(["left"], "order-1");
    await revert(matching, "left", 1);
    await matching.book(["left", "right"], "order-1");
    expect(await matching.run()).toMatchObject({ matched: 2, open: 0 });
    const [match] = await matching.groups("pass=end-to-end%20id");
    expect(await dataOf(await api(`${matching.path}/groups/${match?.id}`))).toMatchObject({
      left: { lines: [{ transactionID: 3 }] },
    });
  });

  test("is settled on each side where both have reverted theirs", async () => {
    const matching = await newMatching();
    await matching.book(["left", "right"], "order-1");
    await revert(matching, "left", 1);
    await revert(matching, "right", 1);
    await matching.run();
    const taken = await matching.groups("pass=taken%20back");
    expect(taken).toHaveLength(2);
    expect(await matching.lines("state=open")).toEqual([]);
  });
});

describe("a run fails with a sentence, and the next one goes on,", () => {
  test("where a ledger is deleted", async () => {
    const bucket = freshName("bucket");
    const matching = await newMatching({}, bucket);
    await matching.book(["left", "right"], "order-1");
    await matching.run();
    await matching.book(["left", "right"], "order-2");
    const path = `/api/ledger/v2/_/buckets/${bucket}`;
    expect((await api(path, { method: "DELETE" })).status).toBe(204);
    const run = await matching.run();
    expect(run).toMatchObject({ state: "failed", collected: { left: 1, right: 0 }, matched: 0 });
    expect(run.error).toContain("cannot be read");
    expect((await api(`${path}/restore`, { method: "POST" })).status).toBe(204);
    expect(await matching.run()).toMatchObject({
      state: "done",
      collected: { left: 0, right: 1 },
      matched: 1,
    });
  });

  test.each<[string, (id: string) => Promise<unknown>, string]>([
    ["is gone", (id) => api(`/api/auth/clients/${id}`, { method: "DELETE" }), "is gone"],
    [
      "has lost a scope",
      (id) => asAdministrator(id, { scopes: ["reconciliation:write"] }),
      "has lost the scope ledger:read",
    ],
    [
      "is bound to other ledgers",
      (id) => asAdministrator(id, { metadata: { ledgers: "eu-*" } }),
      "has lost access to the ledger",
    ],
  ])("where whoever began it %s", async (_, change, why) => {
    const matching = await newMatching();
    await matching.book(["left", "right"], "order-1");
    const { id } = await acting(await makeClient({ id: freshName("c"), scopes: ALL_SCOPES }));
    const principal = {
      issuer: "test",
      subject: id,
      clientId: id,
      scopes: new Set(ALL_SCOPES),
      ledgers: [],
    };
    await change(id);
    const run = await startRun({ ...systemContext(env, "test"), principal }, matching.id);
    await eventually(async () => {
      const head = await dataOf<RunView>(await api(`${matching.path}/runs/${run.number}`));
      expect(head.state).toBe("failed");
      expect(head.error).toContain(why);
    });
    expect(await matching.lines()).toEqual([]);
    expect(await matching.run()).toMatchObject({ state: "done", matched: 1 });
  });
});

describe("who may not read a ledger of a matching", () => {
  test("sees it in no list, and cannot read, change, run or decide", async () => {
    const matching = await newMatching();
    await matching.book(["left", "right"], "");
    await matching.run();
    const bound = await clientWith({
      scopes: ALL_SCOPES,
      metadata: { ledgers: [matching.ledgers.left] },
    });
    const weak = await clientWith({
      scopes: ["reconciliation:read", "reconciliation:write"],
    });
    for (const [{ token }, status] of [
      [bound, 404],
      [weak, 401],
    ] as const) {
      const { data } = await pageOf<{ id: string }>(
        await api(`${MATCHINGS}?pageSize=100`, { token }),
      );
      expect(data.map(({ id }) => id)).not.toContain(matching.id);
      const requests: readonly [string, string, object?][] = [
        ["GET", ""],
        ["PATCH", "", { name: "mine" }],
        ["DELETE", ""],
        ["POST", "/runs"],
        ["GET", "/runs"],
        ["GET", "/runs/1"],
        ["GET", "/groups"],
        ["GET", "/groups/1"],
        ["POST", "/groups/1/confirm", {}],
        ["POST", "/groups", { left: [1], right: [2] }],
        ["GET", "/lines"],
        ["GET", "/lines/1"],
        ["POST", "/preview", {}],
      ];
      for (const [method, path, body] of requests) {
        const answer = await api(`${matching.path}${path}`, {
          method,
          token,
          ...(body === undefined ? {} : { body }),
        });
        expect([method, path, answer.status]).toEqual([method, path, status]);
      }
    }
    expect(await matching.groups("state=proposed")).toHaveLength(1);
  });

  test("needs the scope of reconciliation for each operation", async () => {
    const matching = await newMatching();
    const reader = await clientWith({
      scopes: ["reconciliation:read", "ledger:read", "payments:read"],
    });
    const call = (path: string, method = "GET") =>
      api(`${matching.path}${path}`, {
        method,
        token: reader.token,
        ...(method === "GET" ? {} : { body: {} }),
      });
    expect((await call("")).status).toBe(200);
    expect((await call("/preview", "POST")).status).toBe(200);
    for (const path of ["/runs", "/groups", "/groups/1/confirm"])
      expect((await call(path, "POST")).status).toBe(401);
    expect((await call("", "PATCH")).status).toBe(401);
  });
});
