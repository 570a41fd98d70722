import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import { Api } from "#scripts/lib/api.ts";
import { inProject } from "#scripts/lib/project.ts";
import { WebhookReceiver } from "#scripts/lib/receiver.ts";
import { unpackState } from "#scripts/lib/release/archive.ts";
import { releaseFiles } from "#scripts/lib/release/fixture.ts";
import { Facts, SCOPES, waitFor, WORLD } from "#scripts/lib/release/world/facts.ts";
import { approve } from "#scripts/lib/release/world/payments.ts";
import { exportLog } from "#scripts/lib/release/world/world.ts";
import { migrate } from "#scripts/lib/runtime/migrate.ts";
import { OBJECT_STEPS } from "#scripts/lib/stored/object-steps.ts";
import { CURRENT_VERSION } from "#scripts/lib/stored/state-version.ts";
import { logIn, Visitor } from "#test/support/auth/visitor.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** The state that commit 96c6247, before the first release, made: a ledger, and a connector that has fetched its payments. */
const BEFORE = inProject("test/releases/before-0.2.0/state.tar.gz");

/** Unpacks an archive into a new folder; returns the folder. */
function unpacked(archive: string): string {
  const folder = freshFolder();
  unpackState(archive, folder);
  return folder;
}

/** Changes the D1 database of a state folder, whose file has a hash for its name. */
function changeDatabase(folder: string, statement: string): void {
  const d1 = join(folder, "v3/d1/miniflare-D1DatabaseObject");
  const names = readdirSync(d1).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  expect(names).toHaveLength(1);
  const database = new DatabaseSync(join(d1, names[0] ?? ""));
  database.exec(statement);
  database.close();
}

test.each(readdirSync(inProject("test/releases")))(
  "the kept Worker and state of %s take at most 2 MB",
  (name) => {
    const folder = inProject("test/releases", name);
    const sizes = readdirSync(folder).map((file) => statSync(join(folder, file)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2_000_000);
  },
);

/** Classes that came after 0.2.0. */
const LATER = new Set([
  "BackupObject",
  "ClientQuotaObject",
  "MatchingObject",
  "SearchShardObject",
  "StatementSourceObject",
]);

test("the Worker of 0.2.0 is kept whole", () => {
  const script = brotliDecompressSync(readFileSync(releaseFiles("0.2.0").worker)).toString();
  expect(script).toContain('"0.2.0"');
  const names = Object.keys(OBJECT_STEPS).filter((name) => !LATER.has(name));
  for (const name of names) expect(script).toContain(name);
});

describe("a state that this code cannot bring up to date", () => {
  test("a state of before the first release is refused before the server is ready", async () => {
    const { code, stderr } = await LocalServer.fail(unpacked(BEFORE));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("The state was made by a version of Florin before 0.2.0"),
    ]);
  });

  test("a state of before the first release is known by its database, too", async () => {
    const folder = unpacked(BEFORE);
    writeFileSync(join(folder, "version.json"), JSON.stringify(CURRENT_VERSION));
    await expect(migrate(join(folder, "v3"))).rejects.toThrow(
      "The state was made by a version of Florin before 0.2.0",
    );
  });

  test("a state of a later version is refused", async () => {
    const folder = unpacked(releaseFiles("0.2.0").state);
    changeDatabase(folder, "INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')");
    await expect(migrate(join(folder, "v3"))).rejects.toThrow(
      "this version does not know its migration 9999_later.sql",
    );
  });

  test("a state whose tables are others under the same names of migrations is refused, with what is missing", async () => {
    const folder = unpacked(releaseFiles("0.2.0").state);
    changeDatabase(folder, "ALTER TABLE pipelines RENAME COLUMN exporter_id TO other");
    const { code, stderr } = await LocalServer.fail(folder);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("The table pipelines lacks the column exporter_id."),
    ]);
  });
});

describe.each(["0.2.0"])("the state of %s, with the code of today,", (version) => {
  const files = releaseFiles(version);
  const facts = Facts.parse(JSON.parse(readFileSync(files.facts, "utf8")));
  const ledger = `/api/ledger/v2/${WORLD.ledger}`;
  let server: LocalServer;
  let api: Api;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await WebhookReceiver.open();
    receiver.expectSecret(facts.configSecret);
    server = await LocalServer.start(unpacked(files.state));
    api = await Api.connect(server, SCOPES);
  });
  afterAll(async () => {
    await server?.killAll();
    await receiver?.close();
  });

  const data = async <T>(path: string, body?: unknown): Promise<T> =>
    ((await server.json(path, body === undefined ? {} : { body })) as { data: T }).data;
  const page = async <T>(path: string): Promise<T[]> =>
    ((await server.json(path)) as { cursor: { data: T[] } }).cursor.data;

  test("the state of an earlier release is healthy", async () => {
    const versions = (await server.json("/versions")) as { versions: { health: boolean }[] };
    expect(versions.versions.map(({ health }) => health)).not.toContain(false);
    expect(versions).not.toHaveProperty("problems");
  });

  test("the state of an earlier release has the ledger as it was exported, and verifies it", async () => {
    expect(await exportLog(server, api)).toBe(facts.log);
    const [vault] = await page<{ postings: { amount: bigint }[]; metadata: object }>(
      `${ledger}/transactions?query=${encodeURIComponent('{"$match":{"reference":"vault"}}')}`,
    );
    expect(vault).toMatchObject({
      postings: [{ source: "world", destination: "bank:vault", amount: 10n ** 30n }],
      metadata: { kind: "opening", audited: "yes" },
    });
    const report = await data(`/api/florin/v1/ledgers/${WORLD.ledger}/verify`, {});
    expect(report).toMatchObject({ status: "consistent", lastLogId: facts.lastLogID });
  });

  test("the state of an earlier release takes people and clients with their secrets, and makes new ones", async () => {
    const token = await fetch(`${server.url}/api/auth/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: WORLD.client,
        client_secret: facts.clientSecret,
        scope: "ledger:read",
      }),
    });
    expect(token.status).toBe(200);
    const { access_token: accessToken } = await token.json<{ access_token: string }>();
    const read = await fetch(server.url + ledger, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(read.status).toBe(200);

    const visitor = new Visitor({
      origin: server.url,
      fetch: (path, init) => fetch(server.url + path, init),
    });
    const query = new URLSearchParams({
      response_type: "code",
      client_id: WORLD.client,
      redirect_uri: WORLD.redirectUri,
      scope: "openid ledger:read",
      state: "s",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    const back = await logIn(visitor, `/api/auth/authorize?${query.toString()}`, WORLD.person);
    expect(back.origin + back.pathname).toBe(WORLD.redirectUri);
    expect(back.searchParams.get("code")).toBeTruthy();

    await data("/api/auth/clients", { id: "new", scopes: ["ledger:read"] });
    const audit = await page<{ object: string }>("/api/florin/v1/audit?object=clients/new");
    expect(audit).toHaveLength(1);
  });

  test("the state of an earlier release has the wallet and its hold, and moves their money", async () => {
    const path = `/api/wallets/wallets/${facts.walletID}`;
    const balance = await data(`${path}/balances/${WORLD.balance}`);
    expect(balance).toMatchObject({ name: WORLD.balance });
    await server.json(`/api/wallets/holds/${facts.holdID}/confirm`, {
      body: { amount: 450, final: true },
    });
    const amount = { amount: 100, asset: WORLD.asset };
    await server.json(`${path}/credit`, { body: { amount, sources: [] } });
    // 1,500 less a hold of 600, of which 150 are released, plus a credit of 100.
    const confirmed = await data<{ balances: { main: { assets: object } } }>(path);
    expect(confirmed.balances.main.assets).toEqual({ [WORLD.asset]: 1150 });
  });

  test("the state of an earlier release goes on with payments: what waited for its approval is paid, booked and summed up", async () => {
    const path = `/api/florin/v1/payments/bookings/${facts.bookingID}`;
    const before = await data<{ state: string; booked: number }>(path);
    expect(before.state).toBe("RUNNING");
    const health = await data(`/api/florin/v1/payments/connectors/${facts.connectorID}/health`);
    expect(health).toMatchObject({ status: "healthy", nextRunAt: expect.any(String) as string });
    await approve(api, facts.initiationID);
    await waitFor("the booking", async () => {
      const { booked, pending } = await data<{ booked: number; pending: number }>(path);
      return booked > before.booked && pending === 0 ? true : undefined;
    });
    const balances = await data<unknown[]>(
      `/api/payments/v3/pools/${facts.poolID}/balances/latest`,
    );
    expect(balances.length).toBeGreaterThan(0);
    const payments = await page("/api/payments/v3/payments?pageSize=5");
    expect(payments).toHaveLength(5);
  });

  test("the state of an earlier release sends new events to webhooks, pipelines, streams and triggers, and nothing twice", async () => {
    await server.json(`/api/webhooks/configs/${facts.configID}`, {
      method: "PUT",
      body: { endpoint: receiver.url, eventTypes: ["ledger.committed_transactions"] },
    });
    await server.json(`/api/ledger/v2/_/exporters/${facts.exporterID}`, {
      method: "PUT",
      body: { driver: "http", config: { url: receiver.url, batching: { maxItems: 50 } } },
    });
    const [old] = await page<{ id: string }>("/api/webhooks/deliveries?status=succeeded");
    expect(await page(`/api/webhooks/deliveries/${old?.id}/attempts`)).toHaveLength(1);
    const stream = await server.api("/api/florin/v1/events/stream?types=ledger.*");
    const postings = [{ source: "world", destination: "users:9", amount: 1, asset: WORLD.asset }];
    await server.json(`${ledger}/transactions`, {
      body: { postings, reference: "today", metadata: { user: "9" } },
    });

    await waitFor("the webhook", async () => {
      const found = receiver.deliveries.find(
        ({ body }) => body.includes('"today"') && !isBatch(body),
      );
      return found?.isSigned;
    });
    const entries = await waitFor("the pipeline", async () => {
      const sent = receiver.deliveries.filter(({ body }) => isBatch(body));
      const found = sent.flatMap(({ body }) => parseJson(body) as { id: number }[]);
      return found.length > 0 ? found : undefined;
    });
    expect(entries[0]?.id).toBe(facts.lastLogID + 1);
    expect(await textUntil(stream, '"today"')).toContain("ledger.committed_transactions");
    await waitFor("the trigger", async () => {
      const occurrences = await page(
        `/api/orchestration/v2/triggers/${facts.triggerID}/occurrences`,
      );
      return occurrences.length === 2 ? true : undefined;
    });
  });

  test("the state of an earlier release goes on with instances: one gets its event, and one the time that it waited for", async () => {
    const instances = "/api/orchestration/v2/instances";
    await server.json(`${instances}/${facts.waitingID}/events`, { body: { name: "confirmed" } });
    for (const id of [facts.waitingID, facts.delayedID]) {
      const instance = await waitFor("the end of the instance", async () => {
        const found = await data<{ terminated: boolean; error?: string }>(`${instances}/${id}`);
        return found.terminated ? found : undefined;
      });
      expect(instance.error).toBeUndefined();
    }
    const started = await server.json(
      `/api/orchestration/v2/workflows/${facts.workflowID}/instances`,
      { body: { user: "10" } },
    );
    expect(started).toMatchObject({ data: { workflowID: facts.workflowID } });
  });

  test("the state of an earlier release is consistent at the end, and an import of the old log gives the same ledger", async () => {
    const report = await data(`/api/florin/v1/ledgers/${WORLD.ledger}/verify`, {});
    expect(report).toMatchObject({ status: "consistent" });
    await server.json("/api/ledger/v2/copy", { method: "POST" });
    const imported = await fetch(`${server.url}/api/ledger/v2/copy/logs/import`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${api.token}`,
        "content-type": "application/octet-stream",
      },
      body: facts.log,
    });
    expect(imported.status).toBe(204);
  });
});

/** Whether a request comes from a pipeline, which sends batches of entries, and not from a webhook, which sends one event. */
const isBatch = (body: string): boolean => body.startsWith("[");

/** Reads a stream of events up to a text, and closes the stream. */
async function textUntil({ body }: Response, wanted: string): Promise<string> {
  if (body === null) throw new Error("the stream has no body");
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true }); // a body consists of bytes
    if (text.includes(wanted)) return text;
  }
  throw new Error(`the stream has ended without ${wanted}: ${text}`);
}
