import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { listenAsApi, originsOf } from "./log-server.ts";
import type { LedgerEngine } from "#ledger-engine";
import { stringifyJson } from "#platform/json.ts";
import type { Api } from "#scripts/lib/api.ts";

const BASE = "/api/florin/v1/backup";

/** A ledger of the server. */
export interface ServedLedger {
  /** The id in the catalogue. */
  readonly id: number;
  readonly uuid: string;
  readonly engine: LedgerEngine;
  /** Up to where its log was imported. */
  importedLogId?: number;
  /** Why its object does not say how far it has come. */
  silence?: string;
  /** The status with which its log is refused. */
  refusal?: number;
}

/**
 * A server that gives a backup its ledgers, a database with their catalogue alone, and objects of one class. A ledger that is deleted from `ledgers`
 * after `begin` stays in the catalogue: it was purged after the database was copied.
 */
export class BackupServer {
  readonly ledgers: ServedLedger[] = [];
  /** The names of objects of one class, and of those of them that cannot be copied. */
  readonly objects: string[] = [];
  readonly sickObjects = new Set<string>();
  /** The names of objects without any table. */
  readonly emptyObjects = new Set<string>();
  /** The files that objects keep, by their ids; one without bytes is listed as if it had some. */
  readonly files = new Map<string, { readonly object: string; readonly bytes?: Buffer }>();
  /** Bytes that are sent instead of those of a file, by its id. */
  readonly otherBytes = new Map<string, Buffer>();
  /** What the only row of each object has. */
  objectState = "waiting";
  /** Copies of objects that have not ended, and how many further begins each refuses: one that was left alone ends after a while. */
  readonly openCopies = new Map<string, number>();
  /** The id of the key with which it says that it encrypts. */
  keyId = "000000000000";
  /** Statuses with which the next calls of these paths are refused. */
  readonly refusals = new Map<string, number[]>();
  /** The queries of calls that read objects. */
  readonly queries: URLSearchParams[] = [];
  /** Methods and paths of all calls. */
  readonly calls: string[] = [];
  /** Called when the database was copied, and when a log is asked for. */
  afterDatabase: () => void = () => undefined;
  onLog: (uuid: string) => void = () => undefined;
  #begun = 0;
  #copied: ServedLedger[] = [];
  readonly #server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://loopback");
    const { method = "" } = request;
    const path = url.pathname.startsWith(BASE) ? url.pathname.slice(BASE.length) : url.pathname;
    this.calls.push(`${method} ${path}`);
    const refusal = this.refusals.get(path)?.shift();
    if (refusal !== undefined) return refuse(response, refusal);
    this.#answer(response, `${method} ${path}`, url.searchParams);
  });

  open(): Promise<Api> {
    return listenAsApi(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(response: ServerResponse, call: string, query: URLSearchParams): void {
    const data = (value: unknown) => response.end(stringifyJson({ data: value }));
    const [, uuid, what] = /^GET \/ledgers\/([^/]+)\/(log|origins)$/.exec(call) ?? [];
    if (uuid !== undefined) return this.#answerRange(response, { uuid, what: what ?? "" }, query);
    if (call === "GET /objects/files/content") return this.#sendFile(response, query);
    if (call.includes(" /objects/copies")) {
      const name = query.get("name") ?? "";
      if (this.sickObjects.has(name)) return refuse(response, 500);
      if (call.endsWith("/copies") && !this.#beginCopy(name)) return refuse(response, 409);
      if (call.endsWith("/rows") && this.emptyObjects.has(name)) return refuse(response, 404);
      const isEnd = call.endsWith("/end") || call.startsWith("DELETE ");
      if (isEnd) this.openCopies.delete(name);
      return call.startsWith("DELETE ")
        ? void response.writeHead(204).end()
        : void data(copyAnswerOf(call, this.objectState));
    }
    switch (call) {
      case "POST ":
        return void data({ id: `backup-${++this.#begun}`, keyId: this.keyId });
      case "GET /versions":
        return void response.end(stringifyJson({ versions: [{ name: "ledger", version: "1" }] }));
      case "GET /ledgers":
        return void data(this.#listed(Number(query.get("after"))));
      case "POST /database-copies":
        this.#copied = [...this.ledgers];
        return void data({ id: "copy" });
      case "GET /database-copies/copy/rows":
        return void data(
          query.get("table") === TABLE.table
            ? { ...TABLE, rows: this.#copied.map(rowOf) }
            : { ...NO_MIGRATIONS, next: { table: TABLE.table } },
        );
      case "GET /database-copies/copy/changes":
        return void data({ rows: [], after: 0, left: 0 });
      case "POST /database-copies/copy/end":
        this.afterDatabase();
        return void data({ ended: true, rows: [], counters: {} });
      case "GET /objects":
        this.queries.push(query);
        return void data({
          objects: this.objects.map((name) => ({ class: "EndpointObject", name })),
        });
      case "GET /objects/files":
        return void data(this.#listedFiles(Number(query.get("after") ?? 0)));
      default:
        return refuse(response, 404);
    }
  }

  /** Two files on a page. */
  #listedFiles(after: number) {
    const all = [...this.files].map(([file, { object: name, bytes = Buffer.from("gone") }]) => {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return { class: "SourceObject", name, file, bytes: bytes.length, sha256 };
    });
    const files = all.slice(after, after + 2);
    return after + 2 < all.length
      ? { files, next: { class: "SourceObject", after: after + 2 } }
      : { files };
  }

  #sendFile(response: ServerResponse, query: URLSearchParams): void {
    const file = query.get("file") ?? "";
    const bytes = this.otherBytes.get(file) ?? this.files.get(file)?.bytes;
    if (bytes === undefined) refuse(response, 404);
    else response.end(bytes);
  }

  /** Begins a copy of an object, unless one is under way. */
  #beginCopy(name: string): boolean {
    const refusals = this.openCopies.get(name) ?? 0;
    if (refusals > 0) this.openCopies.set(name, refusals - 1);
    else this.openCopies.set(name, REFUSALS);
    return refusals === 0;
  }

  #listed(after: number) {
    const behind = this.ledgers.filter(({ id }) => id > after);
    const speaking = behind.filter(({ silence }) => silence === undefined);
    return {
      ledgers: speaking.map(({ id, uuid, engine, importedLogId }) => {
        const { name, bucket, features } = engine.info;
        return { id, uuid, name, bucket, features, ...engine.reads.head(), importedLogId };
      }),
      failed: behind.flatMap(({ uuid, engine, silence: reason }) =>
        reason === undefined ? [] : [{ uuid, name: engine.info.name, reason }],
      ),
    };
  }

  #answerRange(
    response: ServerResponse,
    { uuid, what }: { readonly uuid: string; readonly what: string },
    query: URLSearchParams,
  ): void {
    this.onLog(uuid);
    const ledger = this.ledgers.find((it) => it.uuid === uuid);
    if (ledger === undefined) return refuse(response, 404);
    if (ledger.refusal !== undefined) return refuse(response, ledger.refusal);
    const [after, to] = [Number(query.get("after")), Number(query.get("to"))];
    const { reads } = ledger.engine;
    if (what === "log") response.end(reads.exportLogs(after, to, 1000).text);
    else response.end(stringifyJson({ data: originsOf(ledger.engine, { after, to }) }));
  }
}

/** Begins that a copy refuses which was left alone. */
const REFUSALS = 3;

const TABLE = {
  table: "ledgers",
  columns: ["id", "uuid", "name", "bucket", "features", "purging_since"],
  key: ["id"],
};

/** A list of migrations that have made no table. */
const NO_MIGRATIONS = { table: "d1_migrations", columns: ["id", "name"], key: ["id"], rows: [] };

const rowOf = ({ id, uuid, engine }: ServedLedger): unknown[] => {
  const { name, bucket, features } = engine.info;
  return [id, uuid, name, bucket, JSON.stringify(features), null];
};

/** The answer to a step of an object's copy: it has one table with one row. */
function copyAnswerOf(call: string, state: string): object {
  if (call.endsWith("/copies")) return { id: "copy" };
  if (call.endsWith("/rows"))
    return { table: "lanes", columns: ["id", "state"], key: ["id"], rows: [[1, state]] };
  if (call.endsWith("/changes")) return { rows: [], after: 0, left: 0 };
  return { ended: true, rows: [], counters: {} };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end(`{"errorMessage":"[REFUSED] refused with ${status}"}`);
}
