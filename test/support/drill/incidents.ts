import type { DrillWorld, ShownProblem } from "./world.ts";
import { API_KEY, AwayProvider } from "#test/support/payments/outage/away-provider.ts";

/** Something that is broken on a server. */
export interface Incident {
  /** Waits until the status and the metrics show it; throws after a minute. */
  readonly shown: () => Promise<ShownProblem>;
  /** Does what the runbook says, and says whether it helps. */
  readonly remedy: () => Promise<boolean>;
}

export const isAbove =
  (least: number) =>
  (value: number): boolean =>
    value > least;

/** Installs a connector with a key that its provider refuses. */
export async function wrongKey(world: DrillWorld): Promise<Incident> {
  const provider = await AwayProvider.open(undefined, () => new Date());
  const name = `drill-${crypto.randomUUID()}`;
  const config = { name, endpoint: provider.url, pollingPeriod: "20m" };
  const id = await world.send<string>("/api/payments/v3/connectors/install/generic", {
    body: { ...config, apiKey: "wrong" },
  });
  const path = `/api/payments/v3/connectors/${id}`;
  const place = { section: "payments/connectors", what: name } as const;
  const sample = 'florin_work_waiting{module="payments",work="unhealthy-connectors"}';
  return {
    shown: () => world.shows(place, sample, isAbove(0)),
    remedy: async () => {
      await world.send(`${path}/config`, { method: "PATCH", body: { ...config, apiKey: API_KEY } });
      const isWell = await world.isWell(place);
      await world.send(path, { method: "DELETE" });
      await provider.close();
      return isWell;
    },
  };
}

/** Starts an instance that sends money which its account in the ledger lacks. */
export async function stuckInstance(world: DrillWorld, ledger: string): Promise<Incident> {
  const account = (id: string) => ({ account: { id, ledger } });
  const amount = { amount: 100, asset: "USD" };
  const stages = [{ send: { source: account("poor"), destination: account("shop"), amount } }];
  const { id } = await world.send<{ id: string }>("/api/orchestration/v2/workflows", {
    body: { name: "drill", stages },
  });
  const started = await world.send<{ id: string }>(
    `/api/orchestration/v2/workflows/${id}/instances`,
    { body: {} },
  );
  const instance = `/api/orchestration/v2/instances/${started.id}`;
  const place = { section: "orchestration/instances", what: "stuck-instances" } as const;
  const sample = 'florin_work_waiting{module="orchestration",work="stuck-instances"}';
  const postings = [{ source: "world", destination: "poor", ...amount }];
  return {
    shown: () => world.shows(place, sample, isAbove(0)),
    remedy: async () => {
      await world.send(`/api/ledger/v2/${ledger}/transactions`, { body: { postings } });
      return world.becomes(async () => {
        const { terminated } = await world.send<{ terminated: boolean }>(instance);
        return terminated;
      });
    },
  };
}
