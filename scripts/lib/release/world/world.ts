import { z } from "zod";
import { ANY, type Facts, Named, pageOf, SCOPES, waitFor, WORLD } from "./facts.ts";
import { PaymentsWorld } from "./payments.ts";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";
import { Api } from "#scripts/lib/api.ts";
import type { Target } from "#scripts/lib/target.ts";

/** Creates resources of all kinds on a new server. Webhooks and exports go to `receiverUrl`. */
export async function writeWorld(target: Target, receiverUrl: string): Promise<Facts> {
  const api = await Api.connect(target, SCOPES);
  const world = new World(target, api, receiverUrl);
  await world.writeLedger();
  const payments = await new PaymentsWorld(api).write();
  const wallet = await world.writeWallet();
  const flows = await world.writeFlows();
  const people = await world.writePeople();
  await world.listen();
  const deliveries = await world.deliver();
  return { florin: FLORIN_VERSION, ...payments, ...wallet, ...flows, ...people, ...deliveries };
}

class World {
  readonly #target: Target;
  readonly #api: Api;
  readonly #receiverUrl: string;

  constructor(target: Target, api: Api, receiverUrl: string) {
    this.#target = target;
    this.#api = api;
    this.#receiverUrl = receiverUrl;
  }

  #post<S extends z.ZodType>(path: string, body: unknown, answer: S): Promise<z.output<S>> {
    return this.#api.call({ method: "POST", path, body, answer });
  }

  #get<S extends z.ZodType>(path: string, answer: S): Promise<z.output<S>> {
    return this.#api.call({ method: "GET", path, answer });
  }

  /** Creates and verifies a ledger with several kinds of log entries and with amounts beyond 2^53. */
  async writeLedger(): Promise<void> {
    const path = `/api/ledger/v2/${WORLD.ledger}`;
    await this.#post(path, { metadata: { purpose: "release" } }, ANY);
    const send = (amount: bigint, to: string, more: object = {}) => {
      const postings = [{ source: "world", destination: to, amount, asset: WORLD.asset }];
      return this.#post(`${path}/transactions`, { postings, ...more }, ANY);
    };
    await send(10n ** 30n, "bank:vault", { reference: "vault", metadata: { kind: "opening" } });
    await send(5000n, "users:1");
    const script = {
      plain:
        "vars {\n  account $to\n}\nsend [EUR/2 1200] (\n  source = @users:1\n  destination = {\n    1/4 to @fees\n    remaining to $to\n  }\n)",
      vars: { to: "users:2" },
    };
    await this.#post(`${path}/transactions`, { script }, ANY);
    await this.#post(`${path}/transactions/2/revert?force=true`, {}, ANY);
    await this.#post(`${path}/transactions/1/metadata`, { audited: "yes" }, ANY);
    await this.#post(`${path}/accounts/users:2/metadata`, { tier: "gold" }, ANY);
    await this.#api.call({
      method: "DELETE",
      path: `${path}/accounts/users:2/metadata/tier`,
      answer: ANY,
    });
    await this.#post(`/api/florin/v1/ledgers/${WORLD.ledger}/verify`, {}, ANY);
  }

  /** Creates a wallet with two balances, and a hold. */
  async writeWallet() {
    const { data } = await this.#post("/api/wallets/wallets", { name: "ada", metadata: {} }, Named);
    const path = `/api/wallets/wallets/${data.id}`;
    const balance = { name: WORLD.balance, expiresAt: "2100-01-01T00:00:00Z" };
    await this.#post(`${path}/balances`, balance, ANY);
    const amount = { amount: 1500, asset: WORLD.asset };
    await this.#post(`${path}/credit`, { amount, sources: [] }, ANY);
    const hold = { amount: { amount: 600, asset: WORLD.asset }, pending: true };
    const held = await this.#post(
      `${path}/debit`,
      { ...hold, expiresAt: "2100-01-01T00:00:00Z" },
      Named,
    );
    return { walletID: data.id, holdID: held.data.id };
  }

  /** Creates two instances: one that a trigger starts and that waits for an event, and one that waits for a time. */
  async writeFlows() {
    const workflows = "/api/orchestration/v2/workflows";
    await this.#post(`/api/ledger/v2/${WORLD.flows}`, {}, ANY);
    const toUser = {
      send: {
        source: { account: { id: "world", ledger: WORLD.flows } },
        destination: { account: { id: "users:${user}", ledger: WORLD.flows } },
        amount: { amount: "500", asset: WORLD.asset },
      },
    };
    const stages = [toUser, { wait_event: { event: "confirmed" } }, toUser];
    const greet = await this.#post(workflows, { name: "greet", stages }, Named);
    const later = await this.#post(
      workflows,
      { name: "later", stages: [{ delay: { duration: "2m" } }, toUser] },
      Named,
    );
    const trigger = await this.#post(
      "/api/orchestration/v2/triggers",
      {
        name: "a user is new",
        event: "COMMITTED_TRANSACTIONS",
        filter: `event.ledger == "${WORLD.ledger}" and any(event.transactions, .metadata.user != nil)`,
        workflowID: greet.data.id,
        vars: { user: "event.transactions[0].metadata.user" },
      },
      Named,
    );
    await this.#post(
      `/api/ledger/v2/${WORLD.ledger}/transactions`,
      {
        postings: [{ source: "world", destination: "users:7", amount: 1, asset: WORLD.asset }],
        metadata: { user: "7" },
      },
      ANY,
    );
    const waitingID = await this.#startedBy(trigger.data.id);
    const delayed = await this.#post(
      `${workflows}/${later.data.id}/instances`,
      { user: "8" },
      Named,
    );
    return {
      workflowID: greet.data.id,
      triggerID: trigger.data.id,
      waitingID,
      delayedID: delayed.data.id,
    };
  }

  /** Waits until the instance that a trigger starts waits for its event, and returns its id. */
  async #startedBy(trigger: string): Promise<string> {
    const Occurrence = z.object({ workflowInstanceID: z.string().optional() });
    const path = `/api/orchestration/v2/triggers/${trigger}/occurrences`;
    const id = await waitFor("the trigger", async () => {
      const { data } = (await this.#get(path, pageOf(Occurrence))).cursor;
      return data[0]?.workflowInstanceID;
    });
    const Instance = z.object({ data: z.object({ status: z.array(ANY).optional() }) });
    await waitFor("the first stage of the instance", async () => {
      const { data } = await this.#get(`/api/orchestration/v2/instances/${id}`, Instance);
      return (data.status ?? []).length === 2 ? true : undefined;
    });
    return id;
  }

  /** Creates a client with a secret, and a person with a password. */
  async writePeople() {
    const client = {
      id: WORLD.client,
      name: "The shop",
      scopes: ["ledger:read"],
      redirectUris: [WORLD.redirectUri],
    };
    await this.#post("/api/auth/clients", client, ANY);
    const secret = await this.#post(
      `/api/auth/clients/${WORLD.client}/secrets`,
      { name: "release" },
      z.object({ data: z.object({ clear: z.string() }) }),
    );
    const { email, password } = WORLD.person;
    const { data } = await this.#post(
      "/api/florin/v1/invitations",
      { email, scopes: ["ledger:read"] },
      z.object({ data: z.object({ url: z.string() }) }),
    );
    const url = new URL(data.url);
    const page = await fetch(new URL(url.pathname, this.#target.url), {
      method: "POST",
      headers: { origin: this.#target.url, "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({
        token: url.searchParams.get("token") ?? "",
        email,
        name: "Ada",
        password,
      }),
    });
    if (!page.ok) throw new Error(`the invitation was not accepted: ${page.status}`);
    return { clientSecret: secret.data.clear };
  }

  /** Opens and closes a stream of events, so that the object that records events has its tables. */
  async listen(): Promise<void> {
    const stop = new AbortController();
    const response = await fetch(`${this.#target.url}/api/florin/v1/events/stream?types=ledger.*`, {
      headers: { authorization: `Bearer ${this.#api.token}` },
      signal: stop.signal,
    });
    if (!response.ok) throw new Error(`no stream of events: ${response.status}`);
    stop.abort();
  }

  /** Creates a webhook with a successful delivery, and a pipeline that has sent the log of the ledger. */
  async deliver() {
    const config = await this.#post(
      "/api/webhooks/configs",
      { endpoint: this.#receiverUrl, eventTypes: ["ledger.committed_transactions"] },
      z.object({ data: z.object({ id: z.string(), secret: z.string() }) }),
    );
    const exporter = await this.#post(
      "/api/ledger/v2/_/exporters",
      { driver: "http", config: { url: this.#receiverUrl, batching: { maxItems: 50 } } },
      Named,
    );
    const path = `/api/ledger/v2/${WORLD.ledger}`;
    const pipeline = await this.#post(`${path}/pipelines`, { exporterID: exporter.data.id }, Named);
    const postings = [{ source: "world", destination: "users:3", amount: 1, asset: WORLD.asset }];
    await this.#post(`${path}/transactions`, { postings, reference: "delivered" }, ANY);
    const Page = pageOf(ANY);
    await waitFor("the delivery", async () => {
      const { cursor } = await this.#get("/api/webhooks/deliveries?status=succeeded", Page);
      return cursor.data.length > 0 ? true : undefined;
    });
    const Logs = pageOf(z.object({ id: z.int() }));
    const [last] = (await this.#get(`${path}/logs?pageSize=1`, Logs)).cursor.data;
    const lastLogID = last?.id ?? 0;
    const State = z.object({
      data: z.object({ lag: z.int().optional(), delivered: z.object({ entries: z.int() }) }),
    });
    await waitFor("the pipeline", async () => {
      const state = `/api/florin/v1/ledgers/${WORLD.ledger}/pipelines/${pipeline.data.id}`;
      const { lag, delivered } = (await this.#get(state, State)).data;
      return lag === 0 && delivered.entries > 0 ? true : undefined;
    });
    return {
      configID: config.data.id,
      configSecret: config.data.secret,
      exporterID: exporter.data.id,
      pipelineID: pipeline.data.id,
      lastLogID,
      log: await exportLog(this.#target, this.#api),
    };
  }
}

/** The exported log of the ledger. */
export async function exportLog(target: Target, api: Api): Promise<string> {
  const response = await fetch(`${target.url}/api/ledger/v2/${WORLD.ledger}/logs/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.token}` },
  });
  if (!response.ok) throw new Error(`the export answers ${response.status}`);
  return response.text();
}
