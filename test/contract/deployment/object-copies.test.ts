import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { MODULES } from "#src/modules.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { okBodyOf } from "#test/support/ledger/api.ts";
import { api } from "#test/support/platform/api.ts";

const OBJECTS = "/api/florin/v1/backup/objects";

/** Classes whose objects no backup copies, and why. A new class is in this list, or a module copies it. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  AttemptLimitObject: "counts of the last minutes",
  BackupObject: "it makes backups",
  ClientQuotaObject: "what clients have taken of their quotas lately",
  ClockObject: "sweeps ring again by themselves",
  ConnectorObject: "no tables: the database knows what is to be done",
  EventStreamObject: "the latest events, for streams that are open",
  InstanceWorkflow: "runs of the platform, which start again from the database",
  LedgerAuditObject: "a copy that is rebuilt from the log",
  LedgerObject: "saved as its log",
  PasswordHashObject: "a cache",
  SearchShardObject: "rebuilt from what it shows",
};

interface Place {
  readonly class: string;
  readonly name: string;
}

const beginBackup = async (): Promise<string> =>
  (await okBodyOf<{ data: { id: string } }>(api("/api/florin/v1/backup", { method: "POST" }))).data
    .id;

async function data<T>(method: string, path: string): Promise<T> {
  return (await okBodyOf<{ data: T }>(api(`${OBJECTS}${path}`, { method }))).data;
}

async function listAll(backup: string): Promise<Place[]> {
  const found: Place[] = [];
  let next: Place | undefined;
  do {
    const query = new URLSearchParams({ backup, ...next });
    const page: { objects: Place[]; next?: Place } = await data("GET", `?${query.toString()}`);
    found.push(...page.objects);
    next = page.next;
  } while (next !== undefined);
  return found;
}

/** A webhook config, whose object has tables once it is told of it. */
async function newEndpoint(): Promise<string> {
  const body = { endpoint: "https://hooks.example.com/x", eventTypes: ["ledger.created_ledger"] };
  const answer = await okBodyOf<{ data: { id: string } }>(api("/api/webhooks/configs", { body }));
  return answer.data.id;
}

const wakesOf = (backup: string): string =>
  `backup=${backup}&class=InstanceRunnerObject&name=runner`;

test("each class of objects is copied, or left out for a reason", () => {
  const classes = [
    ...MODULES.flatMap(({ classes = {} }) => Object.keys(classes)),
    "BackupObject",
    "ClockObject",
  ];
  const copied = MODULES.flatMap(({ copiedClasses = [] }) => copiedClasses.map(({ name }) => name));
  expect([...copied, ...Object.keys(LEFT_OUT)].toSorted()).toEqual(classes.toSorted());
});

test("objects are listed class by class, each once", async () => {
  const ids = [await newEndpoint(), await newEndpoint()];
  const found = await listAll(await beginBackup());
  const endpoints = found.filter((place) => place.class === "EndpointObject");
  expect(endpoints.map(({ name }) => name)).toEqual(expect.arrayContaining(ids));
  expect(found).toContainEqual({ class: "InstanceRunnerObject", name: "runner" });
  expect(new Set(found.map((place) => JSON.stringify(place))).size).toBe(found.length);
});

test("a copy of an object has its rows, those that change meanwhile too, and leaves nothing behind", async () => {
  const runner = env.INSTANCE_RUNNER.getByName("runner");
  const farMs = Date.now() + 1_000_000_000;
  await runner.wake({ id: "before", run: 1 }, farMs);
  const object = wakesOf(await beginBackup());
  const { id } = await data<{ id: string }>("POST", `/copies?${object}`);
  const page = await data<{ table: string; rows: unknown[][] }>(
    "GET",
    `/copies/${id}/rows?${object}&table=wakes`,
  );
  expect(page.rows.map((row) => row[1])).toContain("before");
  await runner.wake({ id: "later", run: 1 }, farMs);
  const changes = await data<{ rows: { row?: unknown[] }[]; after: number; left: number }>(
    "GET",
    `/copies/${id}/changes?${object}`,
  );
  expect(changes.rows.map(({ row }) => row?.[1])).toEqual(["later"]);
  await runner.wake({ id: "last", run: 1 }, farMs);
  const end = await data<{ ended: boolean; rows: { row?: unknown[] }[] }>(
    "POST",
    `/copies/${id}/end?${object}&after=${changes.after}`,
  );
  expect(end.ended).toBe(true);
  expect(end.rows.map(({ row }) => row?.[1])).toEqual(["last"]);
  await runInDurableObject(runner, (_instance, { storage }) => {
    const left = durableSql(storage).all("SELECT name FROM sqlite_master WHERE name GLOB 'copy_*'");
    expect(left).toEqual([]);
  });
});

test("an object has one copy at a time, of tables that are its own", async () => {
  const object = wakesOf(await beginBackup());
  const { id } = await data<{ id: string }>("POST", `/copies?${object}`);
  expect((await api(`${OBJECTS}/copies?${object}`, { method: "POST" })).status).toBe(409);
  const unknown = await api(`${OBJECTS}/copies/${id}/rows?${object}&table=none`);
  expect(unknown.status).toBe(404);
  expect((await api(`${OBJECTS}/copies/${id}?${object}`, { method: "DELETE" })).status).toBe(204);
  expect((await api(`${OBJECTS}/copies/${id}/changes?${object}`)).status).toBe(409);
});

test("unknown classes, objects and backups are not found, and a call of them makes no object", async () => {
  const backup = await beginBackup();
  const pathOf = (more: string): string => `${OBJECTS}/copies?backup=${backup}&${more}`;
  for (const more of [
    "class=LedgerObject&name=shop",
    "class=EndpointObject&name=none",
    "class=TriggerLaneObject&name=none",
  ]) {
    expect((await api(pathOf(more), { method: "POST" })).status).toBe(404);
  }
  const other = wakesOf(crypto.randomUUID());
  expect((await api(`${OBJECTS}/copies?${other}`, { method: "POST" })).status).toBe(404);
  expect((await api(`${OBJECTS}?backup=${backup}&class=none`)).status).toBe(404);
  const { token } = await clientWith({ scopes: ["florin:operate"], metadata: { ledgers: "a-*" } });
  expect((await api(`${OBJECTS}?backup=${backup}`, { token })).status).toBe(401);
});
