import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringifyJson } from "#platform/json.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import { FakeGeneric, GENERIC_KEY } from "#test/support/psp/generic.ts";
import { PspServer } from "#test/support/psp/psp-server.ts";
import { commandLine, runCommandLine } from "#test/support/runner/command-line.ts";

const folder = freshFolder();
const provider = new FakeGeneric();
/** The references of the transactions that the endpoint of the webhook was told of. */
const told: unknown[] = [];
const receiver = createServer((request, response) => {
  void take(request).finally(() => response.end());
});

async function take(request: IncomingMessage): Promise<void> {
  const { payload } = JSON.parse(await text(request)) as {
    payload: { transactions: { reference?: string }[] };
  };
  told.push(...payload.transactions.map(({ reference }) => reference));
}

let psp: PspServer;
let server: LocalServer;

beforeAll(async () => {
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  psp = await PspServer.open(provider, "https://generic.example");
  server = await LocalServer.start(folder, SETTINGS);
});
afterAll(async () => {
  await server.stop();
  receiver.close();
  receiver.closeAllConnections();
  await psp.close();
});

const SETTINGS = { FLORIN_PAYMENTS_POLLING_PERIOD_MIN: "1s" };

const env = { FLORIN_STATE_DIR: folder };
const florin = commandLine(env);

/** The references of all transactions. */
const committed: string[] = [];

async function commit(reference: string): Promise<void> {
  committed.push(reference);
  await server.json("/api/ledger/v2/main/transactions", {
    body: {
      reference,
      postings: [{ source: "world", destination: "users:1", amount: 1, asset: "EUR/2" }],
      metadata: {},
    },
  });
}

const dataOf = async (path: string, body: object): Promise<string> => {
  const { data } = (await server.json(path, { body })) as { data: string | { id: string } };
  return typeof data === "string" ? data : data.id;
};

interface Order {
  readonly connectorID: string;
  readonly accounts: readonly string[];
}

/** An initiation that waits for its approval; returns its id. */
async function order({ connectorID, accounts }: Order, reference: string): Promise<string> {
  const { data } = (await server.json("/api/payments/v3/payment-initiations", {
    body: {
      reference,
      connectorID,
      description: "rent",
      type: "PAYOUT",
      amount: 1000,
      asset: "EUR/2",
      sourceAccountID: accounts[0],
      destinationAccountID: accounts[1],
      scheduledAt: new Date().toISOString(),
      metadata: {},
    },
  })) as { data: { paymentInitiationID: string } };
  return data.paymentInitiationID;
}

const approve = (id: string): Promise<Response> =>
  server.api(`/api/payments/v3/payment-initiations/${id}/approve`, { method: "POST" });

const pendingDeliveries = async (): Promise<number> => {
  const { cursor } = (await server.json("/api/webhooks/deliveries?status=pending")) as {
    cursor: { data: readonly unknown[] };
  };
  return cursor.data.length;
};

test("a server that is disarmed calls nobody, also after a crash, keeps its ledgers open, and does everything once when it is armed", async () => {
  const { port } = receiver.address() as AddressInfo; // a server that listens on a port
  await server.json("/api/ledger/v2/main", { method: "POST" });
  await server.json("/api/webhooks/configs", {
    body: {
      endpoint: `http://127.0.0.1:${port}/`,
      eventTypes: ["ledger.committed_transactions"],
    },
  });
  const connectorID = await dataOf("/api/payments/v3/connectors/install/generic", {
    name: "psp",
    endpoint: `${psp.url}/v1`,
    apiKey: GENERIC_KEY,
    pollingPeriod: "1s",
  });
  const accounts = await Promise.all(
    [
      ["main", "INTERNAL"],
      ["landlord", "EXTERNAL"],
    ].map(([reference, type]) =>
      dataOf("/api/payments/v3/accounts", {
        reference,
        accountName: reference,
        connectorID,
        type,
        metadata: {},
        createdAt: "2026-03-01T09:30:00Z",
      }),
    ),
  );
  const owner = { connectorID, accounts };
  await commit("before");
  await eventually(() => expect(told).toEqual(["before"]));
  await eventually(() => expect(provider.requests.length).toBeGreaterThan(0));
  const waiting = await order(owner, "order-1");

  const output = await florin("disarm", "--note", "the wrong account");
  expect(output).toMatch(/^The deployment has been disarmed since .*: the wrong account\.$/);
  // A call that had begun before may still be under way.
  await eventually(async () => {
    const { length } = provider.requests;
    await commit(`poll-${length}-${Date.now()}`);
    expect(provider.requests).toHaveLength(length);
  });
  const requests = provider.requests.length;
  await commit("during");
  const refused = await approve(waiting);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("30");
  expect(stringifyJson(await refused.json())).toContain("has been disarmed since");
  await eventually(async () => expect(await pendingDeliveries()).toBeGreaterThan(0));

  await server.killAll();
  server = await LocalServer.start(folder, SETTINGS);
  await commit("after the crash");
  await eventually(async () => expect(await pendingDeliveries()).toBe(committed.length - 1));
  const status = await runCommandLine(env, ["status"]);
  expect(status.code).not.toBe(0);
  expect(status.output).toContain('noting "the wrong account"');
  expect(told).toEqual(["before"]);
  expect(provider.requests).toHaveLength(requests);

  expect(await florin("arm", "--connector", connectorID)).toContain(
    `The connector ${connectorID} has been armed since`,
  );
  await eventually(() => expect(provider.requests.length).toBeGreaterThan(requests));
  await eventually(async () => expect((await approve(waiting)).status).toBe(202));
  await eventually(() => expect([...provider.movements.keys()]).toEqual(["order-1"]));
  expect(told).toEqual(["before"]);

  expect(await florin("arm")).toBe("The deployment is armed: it calls other servers.");
  await eventually(() => {
    expect(new Set(told)).toEqual(new Set(committed));
    expect(told).toHaveLength(committed.length);
  });
  const payouts = provider.requests.filter(({ method }) => method === "POST");
  expect(payouts).toHaveLength(1);
});
