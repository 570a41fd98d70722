import { describe, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import { unwrap } from "#platform/result.ts";
import { received, running } from "#test/support/exporters/pipelines.ts";
import { ReferenceLog } from "#test/support/ledger-engine/reference-log.ts";
import {
  freshLedger,
  inLedger,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
} from "#test/support/ledger/api.ts";
import { uuidOf } from "#test/support/ledger/buckets.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";

interface Note {
  readonly id: number;
  readonly notes: readonly string[];
}
interface NotePage {
  readonly hasMore: boolean;
  readonly next: string;
  readonly data: readonly Note[];
}

const HEADER = "X-Florin-Import-Notes";

/** Imports an export into a ledger; returns the answer. */
const importInto = (ledger: string, lines: readonly string[]): Promise<Response> =>
  inLedger(ledger, "/logs/import", {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: lines.join("\n"),
  });

/** The content of the header with the notes; undefined for an answer without the header. */
function noted(response: Response): { count: number; first: Note[] } | undefined {
  expect(response.status).toBe(204);
  const header = response.headers.get(HEADER);
  expect(header ?? "").toMatch(/^[ -~]{0,2000}$/);
  return header === null ? undefined : (parseJson(header) as { count: number; first: Note[] });
}

const notesPath = (ledger: string, query = "") =>
  `/api/florin/v1/ledgers/${ledger}/import-notes${query}`;

const listNotes = async (ledger: string, query = ""): Promise<NotePage> =>
  (await okBodyOf<{ cursor: NotePage }>(api(notesPath(ledger, query)))).cursor;

const oddAddress = (address: string): string =>
  `the address '${address}' is not one that a write of this server may name`;

/** An export with an account of an ordinary address and three others. */
function oddLog(): ReferenceLog {
  const log = new ReferenceLog();
  log.setMetadata("users:1", { tier: "gold" });
  log.setMetadata("a b", { tier: "gold" });
  log.setMetadata('é:"x"', null);
  log.commit({
    postings: [{ source: "world", destination: "users:1", amount: 5n, asset: "USD" }],
    accountMetadata: { "users:1": null, "50% <off>": { tier: "silver" } },
  });
  return log;
}

describe("an import tells of odd entries", () => {
  test("an import tells of odd entries in a header of its answer, and in a list", async () => {
    const ledger = await freshLedger();
    const isNull = (account: string) =>
      `the metadata of the account '${account}' is null, which stands for no metadata`;
    const expected = [
      { id: 2, notes: [oddAddress("a b")] },
      { id: 3, notes: [oddAddress('é:"x"'), isNull('é:"x"')] },
      { id: 4, notes: [oddAddress("50% <off>"), isNull("users:1")] },
    ];
    expect(noted(await importInto(ledger, oddLog().lines))).toEqual({ count: 3, first: expected });
    const { hasMore, data } = await listNotes(ledger);
    expect(hasMore).toBe(false);
    expect(data).toEqual(expected);
  });

  test("an import tells of odd entries page by page, in both directions", async () => {
    const ledger = await freshLedger();
    await importInto(ledger, oddLog().lines);
    const first = await listNotes(ledger, "?pageSize=2");
    expect(first).toMatchObject({ hasMore: true, data: [{ id: 2 }, { id: 3 }] });
    const second = await listNotes(ledger, `?cursor=${first.next}`);
    expect(second).toMatchObject({ hasMore: false, data: [{ id: 4 }] });
    const last = await listNotes(ledger, "?pageSize=1&sort=id:desc");
    expect(last).toMatchObject({ hasMore: true, data: [{ id: 4 }] });
  });

  test("an import tells of odd entries with a count of all of them and a bounded header", async () => {
    const ledger = await freshLedger();
    const log = new ReferenceLog();
    for (let index = 0; index < 50; index++) log.setMetadata(`${"日".repeat(200)} ${index}`, {});
    const header = noted(await importInto(ledger, log.lines));
    expect(header?.count).toBe(50);
    // Notes show 80 characters of an address, as escapes of six characters.
    expect(header?.first.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect((await listNotes(ledger, "?pageSize=100")).data).toHaveLength(50);
  });

  test("each of several requests of an import tells of the odd entries of that request", async () => {
    const ledger = await freshLedger();
    const { lines } = oddLog();
    expect(noted(await importInto(ledger, lines.slice(0, 1)))).toBeUndefined();
    expect(noted(await importInto(ledger, lines.slice(1, 2)))?.count).toBe(1);
    expect(noted(await importInto(ledger, lines.slice(2)))?.count).toBe(2);
    expect((await listNotes(ledger)).data).toHaveLength(3);
  });

  test("a ledger without an import, or with ordinary entries only, has no notes of odd entries", async () => {
    const [source, copy] = [await freshLedger(), await freshLedger()];
    await okBodyOf(post(source, pay("world -> a", 1)));
    const exported = await inLedger(source, "/logs/export", { method: "POST" });
    const text = new TextDecoder().decode(await exported.arrayBuffer());
    expect(noted(await importInto(copy, [text]))).toBeUndefined();
    for (const ledger of [source, copy]) expect((await listNotes(ledger)).data).toEqual([]);
  });
});

describe("the list of notes is refused", () => {
  test("the notes of an import are refused for a ledger that does not exist, and by a cursor of another ledger", async () => {
    const missing = api(notesPath(freshName("nobody")));
    expect(await refusalOf(missing)).toMatchObject({ status: 404, code: "LEDGER_NOT_FOUND" });
    const [one, two] = [await freshLedger(), await freshLedger()];
    await importInto(one, oddLog().lines);
    const { next } = await listNotes(one, "?pageSize=1");
    for (const query of [`?cursor=${next}`, "?sort=notes", "?pageSize=x"]) {
      expect(await refusalOf(api(notesPath(two, query)))).toMatchObject({
        status: 400,
        code: "VALIDATION",
      });
    }
  });

  test("the notes of an import are refused to a token without ledger:read", async () => {
    const ledger = await freshLedger();
    expect((await api(notesPath(ledger), { token: await token("ledger:read") })).status).toBe(200);
    for (const bearer of [null, await token("auth:read")]) {
      expect((await api(notesPath(ledger), { token: bearer })).status).toBe(401);
    }
  });
});

describe("what was imported with odd entries", () => {
  test("an odd entry is verified, and exported as it came", async () => {
    const ledger = await freshLedger();
    const { lines } = oddLog();
    await importInto(ledger, lines);
    const exported = await inLedger(ledger, "/logs/export", { method: "POST" });
    const text = new TextDecoder().decode(await exported.arrayBuffer());
    expect(text.trimEnd().split("\n")).toEqual(lines);
    const verify = () =>
      okBodyOf<{ data: { status: string } }>(
        api(`/api/florin/v1/ledgers/${ledger}/verify`, { method: "POST" }),
      );
    let report = await verify();
    while (report.data.status === "running") report = await verify();
    expect(report.data).toMatchObject({ status: "consistent", differences: [] });
  });

  test("the content of an odd entry is read by address, at an earlier date, by filters and in lists, and refused in writes", async () => {
    const ledger = await freshLedger();
    await importInto(ledger, oddLog().lines);
    for (const [address, metadata] of [
      ["a b", { tier: "gold" }],
      ['é:"x"', {}],
      ["50% <off>", { tier: "silver" }],
    ] as const) {
      const path = `/accounts/${encodeURIComponent(address)}`;
      expect(await okBodyOf(inLedger(ledger, path))).toMatchObject({ data: { address, metadata } });
      const before = await refusalOf(inLedger(ledger, `${path}?pit=2026-03-01T09:30:01Z`));
      expect(before).toMatchObject({ status: 404, code: "NOT_FOUND" });
      const then = await okBodyOf(inLedger(ledger, `${path}?pit=2026-03-01T09:30:04Z`));
      expect(then).toMatchObject({ data: { address, metadata } });
      const write = inLedger(ledger, `${path}/metadata`, { body: { k: "v" } });
      expect(await refusalOf(write)).toMatchObject({ status: 400, code: "VALIDATION" });
    }
    const addressesOf = async (query: string): Promise<string[]> => {
      const answer = inLedger(ledger, `/accounts?${query}`);
      const { cursor } = await okBodyOf<{ cursor: { data: { address: string }[] } }>(answer);
      return cursor.data.map(({ address }) => address);
    };
    const filtered = (filter: object) => `query=${encodeURIComponent(JSON.stringify(filter))}`;
    const all = ["50% <off>", "a b", "users:1", "world", 'é:"x"'];
    expect(await addressesOf("")).toEqual(all);
    expect(await addressesOf("pit=2026-03-01T09:30:02Z")).toEqual(["a b", "users:1"]);
    for (const [filter, expected] of [
      [{ $match: { address: "a b" } }, ["a b"]],
      [{ $match: { "metadata[tier]": "gold" } }, ["a b", "users:1"]],
      [{ $match: { "metadata[tier]": "silver" } }, ["50% <off>"]],
      [{ $match: { address: "é:" } }, ['é:"x"']],
      [{ $not: { $match: { address: "users:" } } }, all.filter((it) => it !== "users:1")],
      [{ $like: { address: "a%" } }, ["a b"]],
    ] as const) {
      expect([filter, await addressesOf(filtered(filter))]).toEqual([filter, expected]);
    }
    expect((await inLedger(ledger, "/accounts", { method: "HEAD" })).headers.get("count")).toBe(
      "5",
    );
  });

  test("the content of an odd entry is listed with null in the log and by exporters, and without null in payloads of events", async () => {
    const { endpoint, ledger } = await running();
    await importInto(ledger, oddLog().lines);
    type Entry = { id: number; data: Record<string, unknown> };
    const logs = inLedger(ledger, "/logs?sort=id:asc");
    const { cursor } = await okBodyOf<{ cursor: { data: Entry[] } }>(logs);
    expect(cursor.data[2]?.data["metadata"]).toBeNull();
    expect(cursor.data[3]?.data["accountMetadata"]).toMatchObject({ "users:1": null });
    const events = unwrap(await objectOf(ledger).readWritten(1, 4, await uuidOf(ledger)));
    const payloads = events.map(({ payload }) => parseJson(payload));
    expect(payloads[1]).toMatchObject({ targetId: "a b", metadata: { tier: "gold" } });
    expect(payloads[2]).toMatchObject({ targetId: 'é:"x"', metadata: {} });
    expect(payloads[3]).toMatchObject({
      accountMetadata: { "users:1": {}, "50% <off>": { tier: "silver" } },
    });
    await received(endpoint, [1, 2, 3, 4]);
    const delivered = endpoint.batches.flat();
    expect(delivered[1]).toMatchObject({ data: { targetId: "a b" } });
    expect(delivered[2]).toMatchObject({ data: { targetId: 'é:"x"', metadata: null } });
  });
});
