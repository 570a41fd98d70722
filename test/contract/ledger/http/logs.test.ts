import { describe, expect, test } from "vitest";
import type { LogResponse } from "#modules/ledger/wire/schemas.ts";
import { unwrap } from "#platform/result.ts";
import {
  freshLedger,
  inLedger,
  logIdsOf,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  traceOf,
} from "#test/support/ledger/api.ts";
import { api, bodyOf, freshName, send, token } from "#test/support/platform/api.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";
import { bytesOf, oneByOne } from "#test/support/platform/streams.ts";

type LogView = ReturnType<typeof LogResponse.parse>;
interface LogPage {
  readonly cursor: {
    readonly pageSize: number;
    readonly hasMore: boolean;
    readonly next: string;
    readonly previous?: string;
    readonly data: readonly LogView[];
  };
}

const LARGE = 10n ** 30n;

/** A ledger with an entry of each type. */
async function variedLedger(): Promise<string> {
  const ledger = await freshLedger();
  const fields = { metadata: { x: "y" }, reference: "r", accountMetadata: { a: { t: "1" } } };
  await okBodyOf(
    post(ledger, pay("world -> a", LARGE, fields), { headers: { "idempotency-key": "key" } }),
  );
  for (const path of ["/accounts/a/metadata", "/transactions/1/metadata"]) {
    expect((await inLedger(ledger, path, { body: { m: "n" } })).status).toBe(204);
  }
  for (const path of ["/transactions/1/metadata/m", "/accounts/a/metadata/m"]) {
    expect((await inLedger(ledger, path, { method: "DELETE" })).status).toBe(204);
  }
  await okBodyOf(inLedger(ledger, "/transactions/1/revert", { method: "POST" }));
  return ledger;
}

const listLogs = async (ledger: string, query = ""): Promise<LogPage["cursor"]> =>
  (await okBodyOf<LogPage>(inLedger(ledger, `/logs${query}`))).cursor;

const filtered = (filter: object): string => `?query=${encodeURIComponent(JSON.stringify(filter))}`;

async function exportLogs(ledger: string, headers = {}): Promise<string> {
  const response = await api(`/api/ledger/v2/${ledger}/logs/export`, { method: "POST", headers });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/octet-stream");
  // The runtime warns about `text()` for a body of this content type.
  return new TextDecoder().decode(await response.arrayBuffer());
}

/** Imports a body, which is sent unchanged. */
const importLogs = async (
  ledger: string,
  body: string | ReadableStream<Uint8Array>,
  type?: string,
): Promise<Response> =>
  send(`/api/ledger/v2/${ledger}/logs/import`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await token()}`,
      ...(type === undefined ? {} : { "content-type": type }),
    },
    body,
  });

describe("the list of log entries", () => {
  test("the list of log entries shows the newest first, each in full", async () => {
    const ledger = await variedLedger();
    const cursor = await listLogs(ledger);
    expect(cursor).toMatchObject({ pageSize: 15, hasMore: false, next: "" });
    expect(cursor.data.map(({ id, type }) => [id, type])).toEqual([
      [6, "REVERTED_TRANSACTION"],
      [5, "DELETE_METADATA"],
      [4, "DELETE_METADATA"],
      [3, "SET_METADATA"],
      [2, "SET_METADATA"],
      [1, "NEW_TRANSACTION"],
    ]);
    const [, , , , metadata, created] = cursor.data;
    expect(Object.keys(created ?? {})).toEqual([
      "type",
      "data",
      "date",
      "idempotencyKey",
      "idempotencyHash",
      "id",
      "hash",
    ]);
    expect(metadata).toMatchObject({
      data: { targetType: "ACCOUNT", targetId: "a", metadata: { m: "n" } },
      idempotencyKey: "",
    });
    expect(created).toMatchObject({
      data: {
        transaction: {
          id: 1,
          postings: [{ source: "world", destination: "a", amount: LARGE, asset: "USD" }],
          postCommitVolumes: { a: { USD: { input: LARGE, output: 0, balance: LARGE } } },
          preCommitEffectiveVolumes: { a: { USD: { input: 0, output: 0, balance: 0 } } },
          reverted: false,
        },
        accountMetadata: { a: { t: "1" } },
      },
      idempotencyKey: "key",
    });
  });

  test("the list of log entries is served with a slash at its end, too", async () => {
    const ledger = await variedLedger();
    const texts = await Promise.all(
      ["/logs", "/logs/"].map(async (path) => (await inLedger(ledger, path)).text()),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  test("the list of log entries is filtered, sorted and walked", async () => {
    const ledger = await variedLedger();
    const idsOf = async (query: string) => (await listLogs(ledger, query)).data.map(({ id }) => id);
    expect(await idsOf(filtered({ $match: { type: "SET_METADATA" } }))).toEqual([3, 2]);
    expect(await idsOf(filtered({ $gte: { id: 5 } }))).toEqual([6, 5]);
    expect(await idsOf(filtered({ $lt: { date: "2020-01-01T00:00:00Z" } }))).toEqual([]);
    expect(await idsOf("?sort=date:asc&pageSize=2")).toEqual([1, 2]);
    expect(await idsOf("?pit=2020-01-01T00:00:00Z&oot=2030-01-01T00:00:00Z")).toHaveLength(6);
    const first = await listLogs(ledger, "?pageSize=2&sort=id");
    const second = await listLogs(ledger, `?cursor=${first.next}`);
    expect(second.data.map(({ id }) => id)).toEqual([4, 3]);
    expect(await idsOf(`?cursor=${second.previous}`)).toEqual([6, 5]);
  });

  test("the list of log entries prints amounts as texts where the client asks for it, and ids as numbers", async () => {
    const ledger = await variedLedger();
    const response = await inLedger(ledger, "/logs?sort=id:asc&pageSize=3", {
      headers: { "formance-bigint-as-string": "true" },
    });
    const { cursor } = (await bodyOf(response)) as LogPage; // every list has this shape
    expect(cursor.data[0]).toMatchObject({
      id: 1,
      data: {
        transaction: {
          id: 1,
          postings: [{ amount: `${LARGE}` }],
          postCommitVolumes: { a: { USD: { input: `${LARGE}`, output: "0" } } },
        },
      },
    });
    expect(cursor.data[2]).toMatchObject({ data: { targetType: "TRANSACTION", targetId: 1 } });
  });

  test.each([
    filtered({ $match: { nope: 1 } }),
    filtered({ $match: { id: "x" } }),
    filtered({ $match: { type: 1 } }),
    filtered({ $match: { type: "NOPE" } }),
    "?sort=type:asc",
    "?pageSize=x",
    "?cursor=x",
    "?pit=yesterday",
  ])("the list of log entries refuses %s", async (query) => {
    const ledger = await variedLedger();
    expect(await refusalOf(inLedger(ledger, `/logs${query}`))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
  });

  test("the list of log entries refuses the cursor of another list", async () => {
    const ledger = await variedLedger();
    const { cursor } = await okBodyOf<LogPage>(inLedger(ledger, "/transactions?pageSize=1"));
    const refusal = await refusalOf(inLedger(ledger, `/logs?cursor=${cursor.next}`));
    expect(refusal.code).toBe("VALIDATION");
  });
});

describe("the export of a log", () => {
  test("the export of a log has a line for each entry, oldest first, as in the list", async () => {
    const ledger = await variedLedger();
    const text = await exportLogs(ledger);
    const list = await (await inLedger(ledger, "/logs?sort=id:asc")).text();
    const items = text.trimEnd().split("\n");
    expect(text.endsWith("}\n")).toBe(true);
    expect(list).toContain(`"data":[${items.join(",")}]}`);
    expect(items).toHaveLength(6);
  });

  test("the export of an empty log is empty", async () => {
    expect(await exportLogs(await freshLedger())).toBe("");
  });

  test("the export of a log prints numbers as numbers, whatever the client asks for", async () => {
    const ledger = await variedLedger();
    const text = await exportLogs(ledger, { "formance-bigint-as-string": "true" });
    expect(text).toBe(await exportLogs(ledger));
  });
});

describe("the import of a log", () => {
  test("the import of a log makes the same ledger, under another name", async () => {
    const ledger = await variedLedger();
    const copy = await freshLedger();
    const log = await exportLogs(ledger);
    const response = await importLogs(copy, log);
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(response.headers.get("content-type")).toBe("application/json");
    const unnamed = async (name: string) =>
      JSON.parse(JSON.stringify(await traceOf(name)).replaceAll(name, "LEDGER")) as unknown;
    expect(await unnamed(copy)).toEqual(await unnamed(ledger));
    expect(await exportLogs(copy)).toBe(log);
    const stats = await okBodyOf(inLedger(copy, "/stats"));
    expect(stats).toEqual({ data: { transactions: 2, accounts: 2 } });
  });

  test("the import of a log keeps keys, and publishes nothing", async () => {
    const copy = await freshLedger();
    await importLogs(copy, await exportLogs(await variedLedger()));
    const { publishedLogId } = unwrap(await objectOf(copy).readLogs(1, 1));
    expect(publishedLogId).toBe(6);
    const fields = { metadata: { x: "y" }, reference: "r", accountMetadata: { a: { t: "1" } } };
    const again = await post(copy, pay("world -> a", LARGE, fields), {
      headers: { "idempotency-key": "key" },
    });
    expect([again.status, again.headers.get("idempotency-hit")]).toEqual([200, "true"]);
    const next = await okBodyOf<{ data: { id: number } }>(post(copy, pay("world -> a", 1)));
    expect(next.data.id).toBe(3);
    expect(await logIdsOf(copy)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test.each([undefined, "application/json", "application/octet-stream", "text/plain", "x/y; z=1"])(
    "the import of a log takes any content type: %s",
    async (type) => {
      const copy = await freshLedger();
      const response = await importLogs(copy, await exportLogs(await variedLedger()), type);
      expect(response.status).toBe(204);
    },
  );

  test("the import of a log takes entries in several requests, and byte by byte", async () => {
    const ledger = await variedLedger();
    const log = await exportLogs(ledger);
    const lines = log.trimEnd().split("\n");
    const copy = await freshLedger();
    for (const part of [lines.slice(0, 2), lines.slice(2, 5), []]) {
      expect((await importLogs(copy, part.join("\n"))).status).toBe(204);
    }
    const bytes = oneByOne(bytesOf(lines.slice(5).join("")));
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = bytes.shift();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    });
    expect((await importLogs(copy, body)).status).toBe(204);
    expect(await exportLogs(copy)).toBe(log);
  });

  test("the import of a log is refused by a ledger with writes of its own, whatever is sent", async () => {
    const ledger = await variedLedger();
    const log = await exportLogs(ledger);
    for (const body of [log, "oops", ""]) {
      expect(await refusalOf(importLogs(ledger, body))).toEqual({
        status: 400,
        code: "IMPORT",
        message: "[IMPORT] importing logs: ledger is not in initializing state",
      });
    }
    expect(await exportLogs(ledger)).toBe(log);
  });

  test("the import of a log ends when the ledger gets a write of its own meanwhile", async () => {
    const lines = (await exportLogs(await variedLedger())).trimEnd().split("\n");
    const copy = await freshLedger();
    await importLogs(copy, lines.slice(0, 2).join("\n"));
    await okBodyOf(post(copy, pay("world -> z", 1)));
    const refusal = await refusalOf(importLogs(copy, lines.slice(2).join("\n")));
    expect(refusal.message).toContain("not in initializing state");
    expect(await logIdsOf(copy)).toEqual([1, 2, 3]);
  });

  test("the import of a log names the position of an entry that it refuses, and keeps those before it", async () => {
    const lines = (await exportLogs(await variedLedger())).trimEnd().split("\n");
    const copy = await freshLedger();
    const broken = [lines[0], lines[1], (lines[2] ?? "").replace('"m":"n"', '"m":"o"'), lines[3]];
    const response = await importLogs(copy, broken.join("\n"));
    expect(response.status).toBe(400);
    const body = (await bodyOf(response)) as Record<string, string>; // every error has this shape
    expect(body["errorCode"]).toBe("IMPORT");
    expect(body["errorMessage"]).toMatch(
      /^\[IMPORT\] importing logs: importing log 3: invalid hash, expected \S+ got \S+ for log 3$/,
    );
    expect(body["details"]).toBe("entry 3 of the body");
    expect(await logIdsOf(copy)).toEqual([1, 2]);
  });

  test.each([
    ["garbage", "VALIDATION", "entry 1 is not valid JSON"],
    ["[]", "VALIDATION", "entry 1 is not valid JSON"],
    ['{"id":1,}', "VALIDATION", "entry 1 is not valid JSON"],
    ['{"id":1', "VALIDATION", "entry 1 is not valid JSON"],
    ["{}", "IMPORT", "importing logs: entry 1 is not a log entry"],
    ['{"type":"NOPE"}', "IMPORT", "importing logs: entry 1 is not a log entry"],
  ])("the import of a log refuses %s", async (text, code, message) => {
    const ledger = await freshLedger();
    expect(await refusalOf(importLogs(ledger, text))).toEqual({
      status: 400,
      code,
      message: `[${code}] ${message}`,
    });
    expect(await logIdsOf(ledger)).toEqual([]);
  });
});

describe("a ledger without hashes", () => {
  test("a ledger without hashes lists and exports its entries with empty hashes, as the official clients want", async () => {
    const { v2 } = sdk().ledger;
    const ledger = freshName();
    const features = { HASH_LOGS: "DISABLED" };
    await v2.createLedger({ ledger, v2CreateLedgerRequest: { features } });
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    const { v2LogsCursorResponse } = await v2.listLogs({ ledger });
    expect(v2LogsCursorResponse?.cursor.data).toMatchObject([{ id: 1n, hash: "" }]);
    const log = await exportLogs(ledger);
    expect(JSON.parse(log)).toMatchObject({ id: 1, hash: "" });
    const copy = freshName();
    await v2.createLedger({ ledger: copy, v2CreateLedgerRequest: { features } });
    expect((await importLogs(copy, log)).status).toBe(204);
    expect(await exportLogs(copy)).toBe(log);
  });
});

describe("logs", () => {
  test("logs of an unknown ledger are not found, whatever else is wrong", async () => {
    const refusals = [
      refusalOf(inLedger("nobody", "/logs")),
      refusalOf(inLedger("nobody", "/logs/export", { method: "POST" })),
      refusalOf(importLogs("nobody", "oops")),
      refusalOf(importLogs("no.body", "oops")),
    ];
    for (const refusal of await Promise.all(refusals)) {
      expect(refusal).toMatchObject({ status: 404, code: "LEDGER_NOT_FOUND" });
    }
  });

  test("logs are read with the scope for reading, and imported with the one for writing", async () => {
    const ledger = await variedLedger();
    const [read, write] = [await token("ledger:read"), await token("ledger:write")];
    const statusOf = async (path: string, init: object) =>
      (await api(`/api/ledger/v2/${ledger}${path}`, init)).status;
    for (const bearer of [read, write]) {
      expect(await statusOf("/logs", { token: bearer })).toBe(200);
      expect(await statusOf("/logs/export", { method: "POST", token: bearer })).toBe(200);
    }
    expect(await statusOf("/logs/import", { method: "POST", token: read, body: "" })).toBe(401);
    expect(await statusOf("/logs", { token: null })).toBe(401);
  });
});
