import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { deletePipelinesOf } from "#modules/exporters/index.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { audit } from "#platform/audit/tables.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type TestClient, freshClient } from "#test/support/auth/clients.ts";
import { freshLedger, refusalOf } from "#test/support/ledger/api.ts";
import { uuidOf } from "#test/support/ledger/buckets.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";

interface Entry {
  readonly id: number;
  readonly date: string;
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
  readonly action: string;
  readonly object: string;
  readonly requestId: string;
}

interface Cursor {
  readonly hasMore: boolean;
  readonly previous?: string;
  readonly next: string;
  readonly data: readonly Entry[];
}

async function list(query: Readonly<Record<string, string>>): Promise<Cursor> {
  const response = await api(`/api/florin/v1/audit?${new URLSearchParams(query).toString()}`);
  expect(response.status).toBe(200);
  return (await response.json<{ cursor: Cursor }>()).cursor;
}

/** The client of all requests in this file, which sends no others. */
let actor: TestClient;

beforeAll(async () => {
  actor = await freshClient("auth:write", "webhooks:write", "ledger:write");
});

/** Sends a request as the actor; returns the id of the request and the body. */
async function act(method: string, path: string, body?: unknown) {
  const response = await api(`/api${path}`, {
    method,
    token: actor.token,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    data: (text === "" ? {} : JSON.parse(text)) as { data: { id: string } },
  };
}

/** Runs requests of the actor, and returns the actions and objects of their entries, oldest first. */
async function entriesOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = (await list({ clientId: actor.id, pageSize: "1" })).data[0]?.id ?? 0;
  await work();
  const { data } = await list({ clientId: actor.id, pageSize: "100" });
  return data
    .filter(({ id }) => id > before)
    .toReversed()
    .map(({ action, object }) => `${action} ${object}`);
}

describe("a change leaves an entry", () => {
  test("a change leaves an audit entry that says who did what to which object, when, and in which request", async () => {
    const id = freshName("client");
    const { requestId } = await act("POST", "/auth/clients", { id, name: "n" });
    const { data } = await list({ object: `clients/${id}` });
    const [entry] = data;
    expect(entry?.id).toBeGreaterThan(0);
    expect(Math.abs(Date.parse(entry?.date ?? "") - Date.now())).toBeLessThan(3_600_000);
    expect(data).toEqual([
      {
        id: entry?.id,
        date: entry?.date,
        issuer: "http://localhost:8787/api/auth",
        subject: actor.id,
        clientId: actor.id,
        action: "auth.client.create",
        object: `clients/${id}`,
        requestId,
      },
    ]);
  });

  test("a change of clients or their secrets leaves an audit entry", async () => {
    const id = freshName("client");
    let secret = "";
    const entries = await entriesOf(async () => {
      await act("POST", "/auth/clients", { id, name: "n" });
      await act("PUT", `/auth/clients/${id}`, { name: "m" });
      secret = (await act("POST", `/auth/clients/${id}/secrets`, { name: "s" })).data.data.id;
      await act("DELETE", `/auth/clients/${id}/secrets/${secret}`);
      await act("DELETE", `/auth/clients/${id}`);
    });
    expect(entries).toEqual([
      `auth.client.create clients/${id}`,
      `auth.client.update clients/${id}`,
      `auth.secret.create clients/${id}/secrets/${secret}`,
      `auth.secret.delete clients/${id}/secrets/${secret}`,
      `auth.client.delete clients/${id}`,
    ]);
  });

  test("a change of webhook configs leaves an audit entry without their secrets", async () => {
    const config = { endpoint: "https://hooks.example.com/in", eventTypes: ["ledger.x"] };
    let path = "";
    const entries = await entriesOf(async () => {
      const { data } = await act("POST", "/webhooks/configs", config);
      path = `configs/${data.data.id}`;
      await act("PUT", `/webhooks/${path}/deactivate`);
      await act("PUT", `/webhooks/${path}/deactivate`);
      await act("PUT", `/webhooks/${path}/activate`);
      await act("PUT", `/webhooks/${path}/secret/change`, {});
      await act("PUT", `/webhooks/${path}`, config);
      await act("DELETE", `/webhooks/${path}`);
    });
    const verbs = ["create", "deactivate", "activate", "change-secret", "update", "delete"];
    expect(entries).toEqual(verbs.map((verb) => `webhooks.config.${verb} ${path}`));
  });

  test("a change of ledgers, their metadata or their bucket leaves an audit entry", async () => {
    const name = freshName("ledger");
    const entries = await entriesOf(async () => {
      await act("POST", `/ledger/v2/${name}`, { bucket: name });
      await act("PUT", `/ledger/v2/${name}/metadata`, { k: "v" });
      await act("DELETE", `/ledger/v2/${name}/metadata/k`);
      await act("DELETE", `/ledger/v2/_/buckets/${name}`);
      await act("POST", `/ledger/v2/_/buckets/${name}/restore`);
    });
    expect(entries).toEqual([
      `ledger.ledger.create ledgers/${name}`,
      `ledger.ledger.update-metadata ledgers/${name}`,
      `ledger.ledger.delete-metadata ledgers/${name}`,
      `ledger.bucket.delete buckets/${name}`,
      `ledger.bucket.restore buckets/${name}`,
    ]);
  });

  test("a change of exporters or pipelines leaves an audit entry", async () => {
    const ledger = await freshLedger();
    const exporter = { driver: "noop", config: {} };
    let [exporterID, pipeline] = ["", ""];
    const entries = await entriesOf(async () => {
      exporterID = (await act("POST", "/ledger/v2/_/exporters", exporter)).data.data.id;
      await act("PUT", `/ledger/v2/_/exporters/${exporterID}`, exporter);
      const created = await act("POST", `/ledger/v2/${ledger}/pipelines`, { exporterID });
      pipeline = created.data.data.id;
      for (const verb of ["stop", "start", "reset"]) {
        await act("POST", `/ledger/v2/${ledger}/pipelines/${pipeline}/${verb}`);
      }
      await act("DELETE", `/ledger/v2/${ledger}/pipelines/${pipeline}`);
      await act("DELETE", `/ledger/v2/_/exporters/${exporterID}`);
    });
    const verbs = ["create", "stop", "start", "reset", "delete"].map(
      (verb) => `exporters.pipeline.${verb} ledgers/${ledger}/pipelines/${pipeline}`,
    );
    expect(entries).toEqual([
      `exporters.exporter.create exporters/${exporterID}`,
      `exporters.exporter.update exporters/${exporterID}`,
      ...verbs,
      `exporters.exporter.delete exporters/${exporterID}`,
    ]);
  });
});

describe("a change leaves an entry for what goes with it", () => {
  const created = async (path: string, body: object): Promise<string> =>
    (await act("POST", path, body)).data.data.id;

  test("the deletion of an exporter leaves an audit entry of each of its pipelines", async () => {
    const exporter = await created("/ledger/v2/_/exporters", { driver: "noop", config: {} });
    const other = await created("/ledger/v2/_/exporters", { driver: "noop", config: {} });
    const ledgers = [await freshLedger(), await freshLedger()];
    const objects: string[] = [];
    for (const ledger of ledgers) {
      const path = `/ledger/v2/${ledger}/pipelines`;
      const id = await created(path, { exporterID: exporter });
      objects.push(`exporters.pipeline.delete ledgers/${ledger}/pipelines/${id}`);
      await created(path, { exporterID: other });
    }
    const entries = await entriesOf(() => act("DELETE", `/ledger/v2/_/exporters/${exporter}`));
    expect(entries[0]).toBe(`exporters.exporter.delete exporters/${exporter}`);
    expect(entries.slice(1).toSorted()).toEqual(objects.toSorted());
  });

  test("the purge of a ledger leaves an audit entry of each of its pipelines", async () => {
    const exporterID = await created("/ledger/v2/_/exporters", { driver: "noop", config: {} });
    const [ledger, other] = [await freshLedger(), await freshLedger()];
    const id = await created(`/ledger/v2/${ledger}/pipelines`, { exporterID });
    await created(`/ledger/v2/${other}/pipelines`, { exporterID });
    const context = { ...systemContext(env, "sweep:buckets"), requestId: freshName() };
    await deletePipelinesOf(context, { name: ledger, uuid: await uuidOf(ledger) });
    const { data } = await list({ action: "exporters.pipeline.delete", pageSize: "100" });
    expect(data.filter(({ requestId }) => requestId === context.requestId)).toMatchObject([
      { object: `ledgers/${ledger}/pipelines/${id}`, subject: "sweep:buckets" },
    ]);
  });
});

describe("nothing is left", () => {
  test("a request that is refused or changes nothing leaves no audit entry", async () => {
    const client = freshName("client");
    await act("POST", "/auth/clients", { id: client, name: "n" });
    const ledger = await freshLedger();
    const nobody = crypto.randomUUID();
    const statuses: number[] = [];
    const entries = await entriesOf(async () => {
      for (const [method, path, body] of [
        ["POST", "/auth/clients", { id: client, name: "n" }],
        ["PUT", `/auth/clients/${nobody}`, { name: "n" }],
        ["DELETE", `/auth/clients/${nobody}`],
        ["POST", `/auth/clients/${nobody}/secrets`, { name: "n" }],
        ["DELETE", `/auth/clients/${client}/secrets/${nobody}`],
        ["PUT", `/webhooks/configs/${nobody}/activate`],
        ["DELETE", `/webhooks/configs/${nobody}`],
        ["POST", `/ledger/v2/${ledger}`, {}],
        ["PUT", `/ledger/v2/${nobody}/metadata`, { k: "v" }],
        ["DELETE", `/ledger/v2/${ledger}/metadata/absent`],
        ["DELETE", `/ledger/v2/${nobody}/metadata/k`],
        ["DELETE", `/ledger/v2/_/buckets/${nobody}`],
        ["POST", `/ledger/v2/_/buckets/_default/restore`],
        ["DELETE", `/ledger/v2/_/exporters/${nobody}`],
        ["POST", `/ledger/v2/${ledger}/pipelines`, { exporterID: nobody }],
        ["POST", `/ledger/v2/${ledger}/pipelines/${nobody}/stop`],
      ] as const) {
        statuses.push((await act(method, path, body)).status);
      }
    });
    expect(entries).toEqual([]);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });

  test("a batch that fails at its end leaves neither the change nor its audit entry", async () => {
    const db = databaseOf(env);
    const object = freshName();
    const context = systemContext(env, "test");
    const row = {
      date: context.clock(),
      issuer: "",
      subject: "",
      clientId: "",
      action: "change",
      object,
      requestId: "",
    };
    const change = new AuditedChange(context, { action: "entry", object });
    const failing = db.insert(audit).values({ ...row, id: -1 });
    await expect(change.store(db.insert(audit).values(row), failing, failing)).rejects.toThrow(
      /UNIQUE constraint failed: audit/,
    );
    expect((await list({ object })).data).toEqual([]);
    await change.store(db.insert(audit).values(row));
    const { data } = await list({ object });
    expect(data.map(({ action }) => action)).toEqual(["entry", "change"]);
  });
});

describe("the list", () => {
  test("the list of audit entries is read in both directions, newest first, and shows each entry once", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      const id = freshName("paged");
      await act("POST", "/auth/clients", { id, name: "n" });
      ids.unshift(`clients/${id}`);
    }
    const filter = { clientId: actor.id, action: "auth.client.create" };
    const first = await list({ ...filter, pageSize: "2" });
    const second = await list({ cursor: first.next });
    // An entry that is added between two pages does not shift them.
    await act("POST", "/auth/clients", { id: freshName("late"), name: "n" });
    const third = await list({ cursor: second.next });
    const walk = [first, second, third].flatMap(({ data }) => data);
    expect(walk.slice(0, 5).map(({ object }) => object)).toEqual(ids);
    expect(walk.map(({ id }) => id)).toEqual(walk.map(({ id }) => id).toSorted((a, b) => b - a));
    expect((await list({ cursor: third.previous ?? "" })).data).toEqual(second.data);
    expect((await list({ cursor: second.previous ?? "" })).data).toEqual(first.data);
  });

  test("the list of audit entries is filtered by action, object, client, subject, request and time", async () => {
    const name = freshName("ledger");
    await act("POST", `/ledger/v2/${name}`, {});
    await act("PUT", `/ledger/v2/${name}/metadata`, { k: "v" });
    const object = `ledgers/${name}`;
    const [updated, created] = (await list({ object })).data;
    const found = async (filter: Readonly<Record<string, string>>) =>
      (await list({ object, ...filter })).data.map(({ id }) => id);
    expect(await found({ action: "ledger.ledger.create" })).toEqual([created?.id]);
    expect(await found({ clientId: actor.id, subject: actor.id })).toEqual([
      updated?.id,
      created?.id,
    ]);
    expect(await found({ requestId: created?.requestId ?? "" })).toEqual([created?.id]);
    expect(await found({ requestId: "none" })).toEqual([]);
    expect(await found({ clientId: "nobody" })).toEqual([]);
    expect(await found({ subject: "nobody" })).toEqual([]);
    expect(await found({ startTime: updated?.date ?? "" })).toEqual([updated?.id]);
    expect(await found({ endTime: updated?.date ?? "" })).toEqual([created?.id]);
  });

  test("the list of audit entries refuses what it does not know", async () => {
    for (const query of ["startTime=yesterday", "sort=object:asc", "cursor=x"]) {
      expect(await refusalOf(api(`/api/florin/v1/audit?${query}`))).toMatchObject({ status: 400 });
    }
  });

  test("the list of audit entries needs auth:read", async () => {
    const path = "/api/florin/v1/audit";
    expect((await api(path, { token: await token("auth:read") })).status).toBe(200);
    for (const bearer of [null, await token("ledger:write", "webhooks:write")]) {
      expect((await api(path, { token: bearer })).status).toBe(401);
    }
  });
});
