import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { parseJson } from "#platform/json.ts";
import { freshLedger, inLedger, okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

export const EXPORTERS = "/api/ledger/v2/_/exporters";

/** A log entry as an endpoint receives it. */
export interface ReceivedEntry {
  readonly id: number;
  readonly ledger: string;
  readonly type: string;
}

/** The endpoints by their URLs. An endpoint listens to the end of the test file, because pipelines may send to it until then. */
const endpoints = new Map<string, FakeEndpoint>();

/** An HTTP endpoint for the exporters of a test. Requests to other URLs are passed on. */
export class FakeEndpoint {
  readonly url: string;
  readonly requests: { readonly headers: Headers; readonly body: string }[] = [];
  /** Makes the answer to a request, which is 200 by default. */
  respond: () => Response | Promise<Response> = () => new Response();

  constructor(url = `http://${freshName("destination")}.example.com/in`) {
    this.url = url;
    if (!vi.isMockFunction(globalThis.fetch)) {
      const passOn = globalThis.fetch;
      vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
        const endpoint = typeof input === "string" ? endpoints.get(input) : undefined;
        return endpoint === undefined ? passOn(input, init) : endpoint.#take(init);
      });
    }
    endpoints.set(url, this);
  }

  async #take(init: RequestInit | undefined): Promise<Response> {
    const { headers } = init ?? {};
    const body = await new Response(init?.body ?? null).text();
    this.requests.push({ headers: new Headers(headers), body });
    return this.respond();
  }

  /** The entries of each request. */
  get batches(): ReceivedEntry[][] {
    return this.requests.map(({ body }) => parseJson(body) as ReceivedEntry[]);
  }

  get ids(): number[] {
    return this.batches.flat().map(({ id }) => id);
  }
}

/** A config with which an exporter sends entries at once. */
const PROMPT = { flushInterval: "1ms" };

export async function freshExporter(driver: string, config: object = {}): Promise<string> {
  const body = { driver, config: { batching: PROMPT, ...config } };
  const { data } = await okBodyOf<{ data: { id: string } }>(api(EXPORTERS, { body }));
  return data.id;
}

export async function freshPipeline(ledger: string, exporterID: string): Promise<string> {
  const answer = inLedger(ledger, "/pipelines", { body: { exporterID } });
  return (await okBodyOf<{ data: { id: string } }>(answer)).data.id;
}

export interface PipelineView {
  readonly id: string;
  readonly ledger: string;
  readonly exporterID: string;
  readonly enabled: boolean;
  readonly lastLogID?: number;
  readonly error?: string;
}

export async function pipelineOf(ledger: string, id: string): Promise<PipelineView> {
  return (await okBodyOf<{ data: PipelineView }>(inLedger(ledger, `/pipelines/${id}`))).data;
}

export async function stateOf(ledger: string, id: string): Promise<Record<string, unknown>> {
  const path = `/api/florin/v1/ledgers/${ledger}/pipelines/${id}`;
  return (await okBodyOf<{ data: Record<string, unknown> }>(api(path))).data;
}

export const act = async (ledger: string, id: string, verb: "start" | "stop" | "reset") => {
  const response = await inLedger(ledger, `/pipelines/${id}/${verb}`, { method: "POST" });
  if (response.status !== 202) throw new Error(`${verb}: ${await response.text()}`);
};

export const pipelineObject = (id: string) => env.PIPELINES.getByName(id);

/** The time for which the alarm of a pipeline's object is set. */
export const alarmOf = (id: string): Promise<number | null> =>
  runInDurableObject(pipelineObject(id), (_, { storage }) => storage.getAlarm());

/** The stored state of a pipeline's object: the names of its tables, and its alarm. */
export const storageOf = (id: string) =>
  runInDurableObject(pipelineObject(id), async (_, { storage }) => ({
    tables: storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("_cf_")),
    alarm: await storage.getAlarm(),
  }));

/** Lets the alarm of a pipeline ring now. */
export const ring = (id: string): Promise<boolean> => runDurableObjectAlarm(pipelineObject(id));

/** Commits `count` transactions. */
export const write = async (ledger: string, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await okBodyOf(post(ledger, pay("world -> a", 1)));
};

/** Creates a pipeline from a new ledger to an endpoint. */
export async function running(endpoint = new FakeEndpoint()) {
  const ledger = await freshLedger();
  const exporter = await freshExporter("http", { url: endpoint.url });
  const id = await freshPipeline(ledger, exporter);
  return { endpoint, ledger, exporter, id };
}

/** Waits until an endpoint has received exactly the given entries, in their order. */
export const received = (endpoint: FakeEndpoint, ids: readonly number[]): Promise<void> =>
  eventually(() => expect(endpoint.ids).toEqual(ids));

/** Waits until a pipeline has delivered the log up to an entry. */
export const settled = (ledger: string, id: string, lastLogID: number): Promise<void> =>
  eventually(async () => expect(await pipelineOf(ledger, id)).toMatchObject({ lastLogID }));
