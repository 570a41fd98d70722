import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { clientWith, freshClient } from "#test/support/auth/clients.ts";
import { freshLedger, inLedger, okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { api, type ApiInit, freshName } from "#test/support/platform/api.ts";

const BACKUP = "/api/florin/v1/backup";

interface SavedLedger {
  readonly uuid: string;
  readonly name: string;
  readonly bucket: string;
  readonly deletedAt?: string;
  readonly lastLogId: number;
  readonly lastHash: string;
  readonly publishedLogId: number;
  readonly importedLogId?: number;
}
interface Origins {
  readonly authors: readonly { readonly from: number; readonly author: unknown }[];
  readonly causes: readonly unknown[];
  readonly notes: readonly { readonly log: number; readonly notes: readonly string[] }[];
  readonly upTo: number;
}

async function begin(init?: ApiInit): Promise<string> {
  const { data } = await okBodyOf<{ data: { id: string } }>(
    api(BACKUP, { method: "POST", ...init }),
  );
  return data.id;
}

const textOf = async (response: Response | Promise<Response>): Promise<string> => {
  const answer = await response;
  expect(answer.status).toBe(200);
  return answer.text();
};

async function savedLedgers(backup: string): Promise<SavedLedger[]> {
  const ledgers: SavedLedger[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const path: string = `${BACKUP}/ledgers?backup=${backup}&after=${after}`;
    const { data } = await okBodyOf<{ data: { ledgers: SavedLedger[]; next?: number } }>(api(path));
    ledgers.push(...data.ledgers);
    after = data.next;
  }
  return ledgers;
}

async function savedLedger(backup: string, name: string): Promise<SavedLedger> {
  const found = (await savedLedgers(backup)).find((ledger) => ledger.name === name);
  if (found === undefined) throw new Error(`${name} is not in the list`);
  return found;
}

const rangeOf = (uuid: string, what: "log" | "origins", query: string): string =>
  `${BACKUP}/ledgers/${uuid}/${what}?${query}`;

const originsOf = async (uuid: string, query: string): Promise<Origins> =>
  (await okBodyOf<{ data: Origins }>(api(rangeOf(uuid, "origins", query)))).data;

test("the log of a ledger is that of its export, from any entry on, and its last hash is that of the list", async () => {
  const ledger = await freshLedger();
  for (let amount = 1; amount <= 5; amount++) await post(ledger, pay("world -> a", amount));
  const backup = await begin();
  const { uuid, lastLogId, lastHash, importedLogId } = await savedLedger(backup, ledger);
  expect(lastLogId).toBe(5);
  expect(importedLogId).toBeUndefined();
  const exported = await textOf(inLedger(ledger, "/logs/export", { method: "POST" }));
  const whole = await textOf(api(rangeOf(uuid, "log", `backup=${backup}&after=-1&to=5`)));
  expect(whole).toBe(exported);
  const lines = exported.split("\n");
  expect(lines[4]).toContain(`"hash":"${lastHash}"`);
  const part = await textOf(api(rangeOf(uuid, "log", `backup=${backup}&after=2&to=4`)));
  expect(part).toBe(`${lines.slice(2, 4).join("\n")}\n`);
  expect(await textOf(api(rangeOf(uuid, "log", `backup=${backup}&after=5&to=5`)))).toBe("");
});

test("the list has ledgers without entries, and imported ones with their last imported entry", async () => {
  const source = await freshLedger();
  await post(source, pay("world -> a", 1));
  const text = await textOf(inLedger(source, "/logs/export", { method: "POST" }));
  const [empty, imported] = [await freshLedger(), await freshLedger()];
  const answer = await api(`/api/ledger/v2/${imported}/logs/import`, {
    method: "POST",
    body: text,
  });
  expect(answer.status).toBe(204);
  const backup = await begin();
  expect(await savedLedger(backup, empty)).toMatchObject({ lastLogId: -1, lastHash: "" });
  expect(await savedLedger(backup, imported)).toMatchObject({
    lastLogId: 1,
    publishedLogId: 1,
    importedLogId: 1,
  });
});

test("authors are saved as the entries from which on they wrote, and notes of imports with their entries", async () => {
  const ledger = await freshLedger();
  const shop = await freshClient("ledger:read", "ledger:write");
  await post(ledger, pay("world -> a", 1));
  await post(ledger, pay("world -> a", 2), { token: shop.token });
  await post(ledger, pay("world -> a", 3), { token: shop.token });
  await post(ledger, pay("world -> a", 4));
  const backup = await begin();
  const { uuid } = await savedLedger(backup, ledger);
  const all = await originsOf(uuid, `backup=${backup}&after=-1&to=4`);
  expect(all.authors.map(({ from }) => from)).toEqual([1, 2, 4]);
  expect(all.authors[1]?.author).toMatchObject({ clientId: shop.id, subject: shop.id });
  expect(all).toMatchObject({ causes: [], notes: [], upTo: 4 });
  const part = await originsOf(uuid, `backup=${backup}&after=2&to=3`);
  expect(part.authors).toEqual([{ from: 3, author: all.authors[1]?.author }]);
  expect(part.upTo).toBe(3);
});

test("a ledger of a deleted bucket is saved with its log, and one that is unknown is not found", async () => {
  const [ledger, bucket] = [freshName("ledger"), freshName("bucket")];
  await api(`/api/ledger/v2/${ledger}`, { method: "POST", body: JSON.stringify({ bucket }) });
  await post(ledger, pay("world -> a", 1));
  const exported = await textOf(inLedger(ledger, "/logs/export", { method: "POST" }));
  expect((await api(`/api/ledger/v2/_/buckets/${bucket}`, { method: "DELETE" })).status).toBe(204);
  const backup = await begin();
  const saved = await savedLedger(backup, ledger);
  expect(saved).toMatchObject({ bucket, lastLogId: 1 });
  expect(saved.deletedAt).toMatch(/^20.*Z$/);
  const log = await textOf(api(rangeOf(saved.uuid, "log", `backup=${backup}&after=-1&to=1`)));
  expect(log).toBe(exported);
  expect((await originsOf(saved.uuid, `backup=${backup}&after=-1&to=1`)).upTo).toBe(1);
  const unknown = rangeOf(crypto.randomUUID(), "log", `backup=${backup}&after=-1&to=1`);
  expect((await api(unknown)).status).toBe(404);
});

test("a ledger whose object is broken is listed with the reason, and all others with how far they have come", async () => {
  const [whole, broken] = [await freshLedger(), await freshLedger()];
  for (const ledger of [whole, broken]) await post(ledger, pay("world -> a", 1));
  const rename = (from: string, to: string) =>
    runInDurableObject(env.LEDGERS.getByName(broken), (_, { storage }) => {
      storage.sql.exec(`ALTER TABLE ledger RENAME COLUMN ${from} TO ${to}`);
    });
  await rename("published_log", "lost_log");
  const backup = await begin();
  const path = `${BACKUP}/ledgers?backup=${backup}`;
  const { data } = await okBodyOf<{
    data: { ledgers: SavedLedger[]; failed: { uuid: string; name: string; reason: string }[] };
  }>(api(path));
  const names = data.ledgers.map(({ name }) => name);
  expect(names).toContain(whole);
  expect(names).not.toContain(broken);
  expect(data.failed.map(({ name }) => name)).toEqual([broken]);
  expect(data.failed[0]?.uuid).toMatch(/^[\da-f-]{36}$/);
  expect(data.failed[0]?.reason).toContain("published_log");
  await rename("lost_log", "published_log");
  expect(await savedLedger(backup, broken)).toMatchObject({ lastLogId: 1 });
});

test("the beginning of a backup names the key with which secrets are encrypted", async () => {
  const answer = await api(BACKUP, { method: "POST" });
  const { data } = await okBodyOf<{ data: { keyId: string } }>(answer);
  expect(data.keyId).toBe(SecretBox.from(env).keyId);
});

test("only who has begun a backup reads by it, and the audit has who began it", async () => {
  const operator = await clientWith({ scopes: ["florin:operate"] });
  const backup = await begin({ token: operator.token });
  const path = `${BACKUP}/ledgers?backup=${backup}`;
  expect((await api(path, { token: operator.token })).status).toBe(200);
  const refused = await api(path);
  expect(refused.status).toBe(404);
  expect(await refused.text()).toContain("begin one with POST");
  expect((await api(`${BACKUP}/ledgers?backup=${crypto.randomUUID()}`)).status).toBe(404);
  const entries = await okBodyOf<{ cursor: { data: { clientId: string }[] } }>(
    api(`/api/florin/v1/audit?object=backups/${backup}&action=deployment.backup.begin`),
  );
  expect(entries.cursor.data.map(({ clientId }) => clientId)).toEqual([operator.id]);
});

test("a token that is bound to ledgers begins no backup, and bad ranges are refused", async () => {
  const { token } = await clientWith({
    scopes: ["florin:operate"],
    metadata: { ledgers: "shop-*" },
  });
  expect((await api(BACKUP, { method: "POST", token })).status).toBe(401);
  const backup = await begin();
  const { uuid } = await savedLedger(backup, await freshLedger());
  for (const query of ["after=-2&to=1", "after=0", `after=0&to=${2 ** 53}`]) {
    expect((await api(rangeOf(uuid, "log", `backup=${backup}&${query}`))).status).toBe(400);
  }
  expect((await api(rangeOf(uuid, "origins", `backup=${backup}&after=3&to=3`))).status).toBe(400);
  expect((await api(`${BACKUP}/ledgers`)).status).toBe(400);
});
