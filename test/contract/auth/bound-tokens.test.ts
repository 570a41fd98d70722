import { beforeAll, describe, expect, test } from "vitest";
import type { ErrorBody } from "#platform/errors.ts";
import { scopesOf } from "#platform/modules/module.ts";
import { MODULES } from "#src/modules.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { listOperations, pathOf } from "#test/support/platform/operations.ts";

const scopes = Object.keys(scopesOf(MODULES));
const prefix = freshName("eu");
const [mine, other] = [`${prefix}-1`, freshName("us")];
/** A token that is bound to the ledgers with the prefix, and to `made-by-nobody`. */
let bound: string;
/** A token that is bound to the same ledgers and to those with the prefix `us-`. */
let wider: string;

const operations = (await listOperations()).filter(({ scope }) => scope !== undefined);

beforeAll(async () => {
  bound = (await clientWith({ scopes, metadata: { ledgers: [`${prefix}-*`, "made-by-nobody"] } }))
    .token;
  wider = (await clientWith({ scopes, metadata: { ledgers: `${prefix}-*, us-*, made-by-nobody` } }))
    .token;
  for (const ledger of [mine, other]) await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
});

const REFUSED = 'Bearer realm="florin", error="insufficient_scope"';

async function isRefused(path: string, method: string, bearer = bound): Promise<boolean> {
  const response = await api(path, { method, token: bearer });
  const isSo = response.headers.get("www-authenticate") === REFUSED;
  if (isSo) expect(response.status).toBe(401);
  await response.body?.cancel();
  return isSo;
}

/** Asserts that ledgers are only `mine`, and perhaps `made-by-nobody`, which an earlier test may have made. */
function assertOwn(ledgers: readonly string[]): void {
  expect(ledgers.filter((name) => name !== "made-by-nobody")).toEqual([mine]);
}

const sorted = (items: Iterable<string>): string[] => [...new Set(items)].toSorted();

async function json<T>(path: string, init: Parameters<typeof api>[1] = {}): Promise<T> {
  const response = await api(path, { token: bound, ...init });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json<T>();
}

describe("a token that is bound to ledgers", () => {
  const named = operations.filter(({ path }) => path.includes("{ledger}"));
  const others = operations.filter(({ path }) => !path.includes("{ledger}"));

  test("a token that is bound to ledgers is refused by every operation of another ledger, whether it exists or not", async () => {
    expect(named.length).toBeGreaterThan(50);
    for (const operation of named) {
      for (const ledger of [other, freshName("none"), prefix]) {
        const path = pathOf(operation, { ledger });
        expect([path, await isRefused(path, operation.method)]).toEqual([path, true]);
      }
    }
  });

  test("a token that is bound to ledgers is refused by no operation of its own ledgers for this reason", async () => {
    for (const operation of named) {
      const path = pathOf(operation, { ledger: "made-by-nobody" });
      expect([path, await isRefused(path, operation.method)]).toEqual([path, false]);
    }
  });

  test("a token that is bound to ledgers is refused by what reaches all ledgers and does not filter", async () => {
    const open: string[] = [];
    for (const operation of others) {
      const { path, scope = "", method } = operation;
      const isFiltering = /^(?:payments|orchestration|reconciliation):/.test(scope);
      if (!isFiltering && !(await isRefused(pathOf(operation), method))) open.push(path);
    }
    // Wallets are missing here, because their ledger is not one of the token's ledgers.
    expect(sorted(open)).toEqual([
      "/api/florin/v1/events/stream",
      "/api/florin/v1/inconsistent-ledgers",
      "/api/florin/v1/numscript/check",
      "/api/florin/v1/requests/failed",
      "/api/florin/v1/requests/failed/{requestID}",
      "/api/ledger/v2",
      "/api/ledger/v2/_info",
      "/api/search",
    ]);
  });

  test("a token that is bound to ledgers lists no other ledgers", async () => {
    const { cursor } = await json<{ cursor: { data: { name: string }[] } }>("/api/ledger/v2");
    assertOwn(cursor.data.map(({ name }) => name));
    for (const path of ["/api/ledger/v2/_info", "/api/ledger/_info"]) {
      const { data } = await json<{ data: { config: { storage: { ledgers: string[] } } } }>(path);
      assertOwn(data.config.storage.ledgers);
    }
  });

  test("a token that is bound to ledgers uses wallets if it may use their ledger", async () => {
    const ledgers = [TEST_WALLETS_LEDGER];
    const { token } = await clientWith({ scopes, metadata: { ledgers } });
    expect((await api("/api/wallets/wallets", { token })).status).toBe(200);
    expect(await isRefused("/api/wallets/wallets", "GET")).toBe(true);
  });
});

describe("workflows, instances and triggers of a token that is bound to ledgers", () => {
  interface Made {
    readonly data: { readonly id: string };
  }
  const stages = [{ delay: { duration: "1h" } }];
  const FLOWS = "/api/orchestration/v2/workflows";

  async function make(bearer: string) {
    const workflow = await json<Made>(FLOWS, {
      token: bearer,
      body: { name: freshName(), stages },
    });
    const instance = await json<Made>(`${FLOWS}/${workflow.data.id}/instances`, {
      token: bearer,
      body: {},
    });
    const trigger = await json<Made>("/api/orchestration/v2/triggers", {
      token: bearer,
      body: { event: "ledger.committed_transactions", workflowID: workflow.data.id },
    });
    const ids = { workflow: workflow.data.id, instance: instance.data.id };
    return { ...ids, trigger: trigger.data.id };
  }

  const pathsOf = ({ workflow, instance, trigger }: Awaited<ReturnType<typeof make>>) => [
    `${FLOWS}/${workflow}`,
    `/api/orchestration/v2/instances/${instance}`,
    `/api/orchestration/v2/instances/${instance}/history`,
    `/api/orchestration/v2/triggers/${trigger}`,
    `/api/orchestration/v2/triggers/${trigger}/occurrences`,
    `/api/orchestration/triggers/${trigger}/occurrences`,
  ];

  const statusesOf = (made: Awaited<ReturnType<typeof make>>, bearer: string) =>
    Promise.all(pathsOf(made).map(async (path) => (await api(path, { token: bearer })).status));

  test("a token that is bound to ledgers sees workflows and the like of its own binding or a narrower one", async () => {
    const own = await make(bound);
    const beyond = await make(wider);
    const free = await make(await freeToken());
    expect(new Set(await statusesOf(own, bound))).toEqual(new Set([200]));
    expect(new Set(await statusesOf(own, wider))).toEqual(new Set([200]));
    for (const hidden of [beyond, free]) {
      expect(new Set(await statusesOf(hidden, bound))).toEqual(new Set([404]));
    }
    for (const list of ["workflows", "instances", "triggers"]) {
      const { cursor } = await json<{ cursor: { data: { id: string }[] } }>(
        `/api/orchestration/v2/${list}?pageSize=1000`,
      );
      expect(cursor.data.map(({ id }) => id)).toEqual([own[singularOf(list)]]);
    }
  });

  test("a bound token has its own workflows and the like: it reaches none of the others by any operation that names one", async () => {
    const hidden = await make(wider);
    const { workflow, instance: instanceID, trigger: triggerID } = hidden;
    const values = { flowId: workflow, workflowID: workflow, instanceID, triggerID, number: "0" };
    const naming = operations.filter(
      ({ path, scope = "" }) =>
        scope.startsWith("orchestration:") &&
        Object.keys(values).some((id) => path.includes(`{${id}}`)),
    );
    expect(naming.length).toBeGreaterThan(20);
    for (const operation of naming) {
      const path = pathOf(operation, values);
      const body = operation.method === "POST" ? { body: { name: "x" } } : {};
      const response = await api(path, { method: operation.method, token: bound, ...body });
      expect([operation.method, path, response.status]).toEqual([operation.method, path, 404]);
    }
    expect(new Set(await statusesOf(hidden, wider))).toEqual(new Set([200]));
  });

  test("a token that is bound to ledgers changes, starts and deletes no workflow, instance or trigger of others", async () => {
    const hidden = await make(wider);
    const calls: [method: string, path: string][] = [
      ["POST", `${FLOWS}/${hidden.workflow}/instances`],
      ["DELETE", `${FLOWS}/${hidden.workflow}`],
      ["PUT", `/api/orchestration/v2/instances/${hidden.instance}/abort`],
      ["POST", `/api/orchestration/v2/instances/${hidden.instance}/events`],
      ["DELETE", `/api/orchestration/v2/triggers/${hidden.trigger}`],
      ["POST", `/api/orchestration/v2/triggers/${hidden.trigger}/test`],
    ];
    for (const [method, path] of calls) {
      const body = method === "POST" ? { body: { name: "x" } } : {};
      const response = await api(path, { method, token: bound, ...body });
      expect([path, response.status]).toEqual([path, 404]);
    }
    const trigger = { event: "x.y", workflowID: hidden.workflow };
    const refused = await api("/api/orchestration/v2/triggers", { token: bound, body: trigger });
    expect(refused.status).toBe(404);
    expect(new Set(await statusesOf(hidden, wider))).toEqual(new Set([200]));
  });
});

/** Path parameters with the id of a thing that may belong to a ledger outside of the token's ledgers. */
const IDS = new Set([
  "flowId",
  "workflowID",
  "instanceID",
  "triggerID",
  "bookingID",
  // The tests of reconciliation cover the ids of its things.
  "policyID",
  "reconciliationID",
  "ruleID",
  "evaluationID",
  "alertID",
  "correctionID",
  "groupID",
  "lineID",
  "matchingID",
  "runID",
  "sourceID",
  "statementID",
]);

test("no operation takes an id of something that may belong to another ledger, untested", () => {
  const isOpen = ({ scope = "", path }: (typeof operations)[number]) =>
    /^(?:payments|orchestration|reconciliation):/.test(scope) && !path.includes("{ledger}");
  const params = operations
    .filter(isOpen)
    .flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name));
  // Payments, and the things that belong to them, are in no ledger; tests of bookings cover their ids.
  const ofPayments =
    /^(?:account|bankAccount|connection|connector|conversion|instance|order|payment|paymentInitiation|paymentServiceUser|pool|schedule|task|transfer|attempt|number|reversal|item)(?:I[dD])?$|^connector$/;
  expect(sorted(params).filter((name) => !ofPayments.test(name) && !IDS.has(name))).toEqual([]);
});

describe("a client", () => {
  test.each([[""], ["a b"], ["*-eu"], [[]], [[1]], ["a,,b"], [null], [{}]])(
    "a client cannot be bound to %j",
    async (ledgers) => {
      const body = { name: "wrong", metadata: { ledgers } };
      const response = await api("/api/auth/clients", { body });
      expect(response.status).toBe(400);
      expect((await response.json<ErrorBody>()).errorMessage).toMatch(/metadata/);
    },
  );

  test("a client shows what it is bound to as a text, which the official clients can read", async () => {
    const body = { name: "b", metadata: { ledgers: ["eu-*", "main"], team: "x" } };
    const response = await api("/api/auth/clients", { body });
    const { data } = await response.json<{ data: { metadata: unknown } }>();
    expect(data.metadata).toEqual({ ledgers: "eu-*, main", team: "x" });
  });
});

const TEST_WALLETS_LEDGER = "wallets-002";

const freeToken = async (): Promise<string> => (await clientWith({ scopes })).token;

const singularOf = (list: string): "workflow" | "instance" | "trigger" => {
  if (list === "workflows") return "workflow";
  return list === "instances" ? "instance" : "trigger";
};
