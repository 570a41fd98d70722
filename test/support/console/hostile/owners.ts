import type { LocalServer } from "#test/support/platform/server.ts";

export const LEDGER = "/api/ledger/v2/books";
export const PAYMENTS = "/api/payments/v3";
export const WORKFLOWS = "/api/orchestration/v2";
export const RECONCILIATION = "/api/reconciliation";
export const AT = "2026-01-01T00:00:00Z";

/** Objects that the fields of payments and wallets belong to. */
export interface HostileOwners {
  readonly connector: string;
  /** A connector whose provider answers with a hostile text. */
  readonly failing: string;
  readonly source: string;
  readonly destination: string;
  readonly wallet: string;
  readonly workflow: string;
  /** An alert of a rule that a balance of the books does not fit. */
  readonly alert: string;
  /** The URL of an endpoint for webhooks, which is the address of a provider, too. */
  readonly endpoint: string;
}

/** Makes the objects that other ones refer to. */
export async function makeOwners(server: LocalServer, endpoint: string): Promise<HostileOwners> {
  await server.json(LEDGER, { body: {} });
  const data = async <D>(path: string, body: unknown): Promise<D> =>
    ((await server.json(path, { body })) as { data: D }).data; // Answers of creations have this shape.
  const id = async (path: string, body: unknown): Promise<string> =>
    (await data<{ id: string }>(path, body)).id;
  const connector = await data<string>(`${PAYMENTS}/connectors/install/dummypay`, {
    name: "bank",
    directory: "acme",
  });
  const failing = await data<string>(`${PAYMENTS}/connectors/install/generic`, {
    name: "failing",
    apiKey: "a key",
    endpoint,
  });
  const account = (reference: string, type: string): Promise<string> =>
    id(`${PAYMENTS}/accounts`, {
      reference,
      connectorID: connector,
      createdAt: AT,
      accountName: reference,
      type,
      defaultAsset: "EUR/2",
    });
  const alert = await makeAlert(server);
  const wallet = await id("/api/wallets/wallets", { name: "plain", metadata: {} });
  await server.json(`/api/wallets/wallets/${wallet}/credit`, {
    body: { amount: { amount: 100_000, asset: "EUR/2" } },
  });
  return {
    connector,
    failing,
    source: await account("source", "INTERNAL"),
    destination: await account("destination", "EXTERNAL"),
    wallet,
    alert,
    workflow: await id(`${WORKFLOWS}/workflows`, {
      name: "plain",
      stages: [{ delay: { duration: "1h" } }],
    }),
    endpoint,
  };
}

/** Makes an alert, and gives its id. */
async function makeAlert(server: LocalServer): Promise<string> {
  await server.json(`${LEDGER}/transactions`, {
    body: { postings: [{ source: "world", destination: "vault", amount: 100, asset: "EUR/2" }] },
  });
  const made = await server.json(`${RECONCILIATION}/rules`, {
    body: {
      name: "plain",
      templateKind: "account_threshold",
      templateSpec: {
        ledger: "books",
        query: { $match: { address: "vault" } },
        bounds: { "EUR/2": { max: 0 } },
      },
    },
  });
  const { id } = (made as { data: { id: string } }).data; // Answers of creations have this shape.
  await server.json(`${RECONCILIATION}/rules/${id}/evaluate`, { body: { safetyMargin: "0s" } });
  const list = await server.json(`${RECONCILIATION}/alerts`);
  return (list as { cursor: { data: { id: string }[] } }).cursor.data[0]?.id ?? ""; // The schema of the answer has this shape.
}
