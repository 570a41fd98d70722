import { env } from "cloudflare:workers";
import { getTableName } from "drizzle-orm";
import { expect } from "vitest";
import { decodeConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { OWNED_ROWS } from "#modules/payments/owned-rows.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";

/** The official client, which always gets a token, because the SDK itself sends none with some of these operations. */
export const { v3, v1 } = sdk({ bearer: await token() }).payments;

/** The id of a connector that was never installed. */
export const UNKNOWN = encodeConnectorId({
  provider: "dummypay",
  reference: "00000000-0000-4000-8000-000000000001",
});

export interface InstallOptions {
  readonly name?: string;
  readonly directory?: string;
  readonly pollingPeriod?: string;
}

/** Installs a dummy provider through the official client; returns its id. */
export async function installDummypay(options: InstallOptions = {}): Promise<string> {
  const { name = freshName("dummy"), directory = "demo", ...others } = options;
  const { v3InstallConnectorResponse: installed } = await v3.installConnector({
    connector: "dummypay",
    v3ConnectorConfig: { provider: "Dummypay", name, directory, ...others },
  });
  return installed?.data ?? "";
}

/** Installs a generic provider at a host whose requests a test answers. */
export async function installGeneric(
  endpoint: string,
  { name = freshName("generic"), ...others }: InstallOptions = {},
): Promise<string> {
  const { v3InstallConnectorResponse: installed } = await v3.installConnector({
    connector: "generic",
    v3ConnectorConfig: { provider: "Generic", name, apiKey: "psp-key", endpoint, ...others },
  });
  return installed?.data ?? "";
}

interface ScheduleHealth {
  readonly scheduleID: string;
  readonly task: string;
  readonly status: string;
  readonly nextRunAt?: string;
  readonly lastSuccessAt?: string;
  readonly lastFailureAt?: string;
  readonly lastError?: string;
  readonly failedRuns: number;
  readonly itemsOfLastRun?: number;
}

interface WebhookHealth {
  readonly name: string;
  readonly path: string;
  readonly lastFailureAt?: string;
  readonly lastError?: string;
}

export interface Health {
  readonly status: string;
  readonly lastSuccessAt?: string;
  readonly lastError?: string;
  readonly nextRunAt?: string;
  readonly schedules: readonly ScheduleHealth[];
  readonly webhooks: readonly WebhookHealth[];
}

export async function healthOf(connectorID: string): Promise<Health> {
  const response = await api(`/api/florin/v1/payments/connectors/${connectorID}/health`);
  expect(response.status).toBe(200);
  return (await response.json<{ data: Health }>()).data;
}

/** Waits until each schedule of a connector has run, or has run again after a time. */
export const polled = (connectorID: string, after = ""): Promise<Health> =>
  eventually(async () => {
    const health = await healthOf(connectorID);
    for (const { lastSuccessAt = "" } of health.schedules) {
      expect(lastSuccessAt > after).toBe(true);
    }
    return health;
  });

/** Waits until a task has ended; returns the task. */
export const ended = (taskID: string) =>
  eventually(async () => {
    const { v3GetTaskResponse: task } = await v3.getTask({ taskID });
    expect(task?.data.status).not.toBe("PROCESSING");
    return task?.data;
  });

export const referenceOf = (connectorID: string): string =>
  decodeConnectorId(connectorID)?.reference ?? "";

/** The number of rows of each table for an installed or former connector, without tables of no rows. */
export async function ownedRows(key: number): Promise<Record<string, number>> {
  const counts = await Promise.all(
    OWNED_ROWS.map(async ({ table }) => {
      const name = getTableName(table);
      const row = await env.DB.prepare(`SELECT count(*) AS n FROM ${name} WHERE connector_key = ?`)
        .bind(key)
        .first<{ n: number }>();
      return [name, row?.n ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

export async function keyOf(connectorID: string): Promise<number> {
  const row = await env.DB.prepare("SELECT key FROM payment_connectors WHERE reference = ?")
    .bind(referenceOf(connectorID))
    .first<{ key: number }>();
  return row?.key ?? 0;
}
