import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { Random } from "#scripts/lib/random.ts";

/** A log entry as a destination received it. The `text` of an entry must never change. */
export interface ReceivedEntry {
  readonly ledger: string;
  readonly id: number;
  readonly text: string;
}

/** The entries of one ledger that a destination has received. */
class ReceivedLog {
  /** Texts of entries by id, in the order of first arrival. */
  readonly texts = new Map<number, string>();
  /** The id of the last accepted entry. */
  acceptedId = -1;
  /** Whether the sender may repeat accepted entries, because a restart may have lost its record of the last acceptance. */
  mayRepeat = false;
}

/** The numbers of the requests that get no answer. */
const HANGING = new Set([25, 250]);

/**
 * A server on loopback that accepts log entries, except when it fails. At random it cuts a connection before it has
 * read the request or after it has stored the entries, refuses, answers late, or never answers. It records violations
 * of the rules: entries in another order, changed entries, and accepted entries that are repeated without a reason.
 */
export abstract class FakeDestination {
  readonly violations: string[] = [];
  readonly #logs = new Map<string, ReceivedLog>();
  readonly #random: Random;
  readonly #server: Server = createServer();
  #requests = 0;
  #failures = 0;
  #repeated = 0;
  #isRestarting = false;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#server.on("request", (request, response) => {
      this.#take(request, response).catch((error: unknown) => {
        if (!response.destroyed) this.violations.push(String(error));
        response.destroy();
      });
    });
  }

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  get host(): string {
    const { port } = this.#server.address() as AddressInfo; // a server that listens on a port
    return `127.0.0.1:${port}`;
  }

  get summary() {
    return { requests: this.#requests, failures: this.#failures, repeated: this.#repeated };
  }

  /** The number of different entries that have arrived. */
  get count(): number {
    return this.#logs.values().reduce((count, { texts }) => count + texts.size, 0);
  }

  /** The received texts of a ledger's entries by id, in the order of first arrival. */
  textsOf(ledger: string): ReadonlyMap<number, string> {
    return this.#logOf(ledger).texts;
  }

  /**
   * Runs `restart`, which kills the sender and starts it again. Afterwards the sender may repeat entries that it had not
   * recorded as sent.
   */
  async whileRestarting(restart: () => Promise<void>): Promise<void> {
    this.#isRestarting = true;
    await restart();
    this.#isRestarting = false;
    for (const log of this.#logs.values()) log.mayRepeat = true;
  }

  /** The entries of a request; none for a request that sends no entries. Throws for a malformed request. */
  protected abstract parse(request: IncomingMessage, body: string): readonly ReceivedEntry[];

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#requests++;
    if (this.#fails(0.05)) return void request.destroy();
    const entries = this.parse(request, await text(request));
    if (HANGING.has(this.#requests)) {
      this.#failures++;
      return;
    }
    if (this.#random.chance(0.1)) await delay(this.#random.integer(20, 200));
    if (this.#fails(0.06))
      return void response.writeHead(500).end("Code: 241. Memory limit exceeded");
    this.#store(entries);
    if (this.#fails(0.04)) return void response.destroy();
    response.once("finish", () => this.#accept(entries));
    response.writeHead(200).end();
  }

  #fails(probability: number): boolean {
    if (!this.#random.chance(probability)) return false;
    this.#failures++;
    return true;
  }

  #store(entries: readonly ReceivedEntry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    const log = this.#logOf(first.ledger);
    const isRepetition = first.id <= log.acceptedId;
    if (isRepetition && !log.mayRepeat && !this.#isRestarting) {
      this.violations.push(
        `${first.ledger} ${first.id} comes again, and ${log.acceptedId} was accepted`,
      );
    }
    let previousId = -1;
    for (const { id, ledger, text } of entries) {
      if (ledger !== first.ledger || id <= previousId) {
        this.violations.push(
          `${ledger} ${id} comes in a batch after ${first.ledger} ${previousId}`,
        );
      }
      previousId = id;
      const known = log.texts.get(id);
      if (known === undefined) log.texts.set(id, text);
      else this.#repeated++;
      if (known !== undefined && known !== text) this.violations.push(`${ledger} ${id} changed`);
    }
  }

  #accept(entries: readonly ReceivedEntry[]): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    const log = this.#logOf(last.ledger);
    log.acceptedId = last.id;
    log.mayRepeat = false;
  }

  #logOf(ledger: string): ReceivedLog {
    const known = this.#logs.get(ledger) ?? new ReceivedLog();
    this.#logs.set(ledger, known);
    return known;
  }
}

/** A destination for the driver `http`. */
export class FakeHttpDestination extends FakeDestination {
  get url(): string {
    return `http://${this.host}/in`;
  }

  protected parse({ method, url }: IncomingMessage, body: string): readonly ReceivedEntry[] {
    if (method !== "POST" || url !== "/in") throw new Error(`${method} ${url}`);
    return (parseJson(body) as { id: number; ledger: string }[]).map(({ ledger, ...entry }) => ({
      ledger,
      id: entry.id,
      text: stringifyJson(entry),
    }));
  }
}

const ROW_FIELDS = "ledger,id,type,date,data";
const ROW_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

/** The HTTP interface of ClickHouse, as far as the driver `clickhouse` uses it. */
export class FakeClickHouse extends FakeDestination {
  #hasTable = false;

  get dsn(): string {
    return `http://florin:s%40cret@${this.host}/books`;
  }

  protected parse(
    { method, url = "", headers }: IncomingMessage,
    body: string,
  ): readonly ReceivedEntry[] {
    const { pathname, searchParams } = new URL(url, `http://${this.host}`);
    const credentials = [headers["x-clickhouse-user"], headers["x-clickhouse-key"]].join();
    if (method !== "POST" || pathname !== "/" || credentials !== "florin,s@cret") {
      throw new Error(`${method} ${url} of ${credentials}`);
    }
    if (searchParams.get("database") !== "books") throw new Error(`no database: ${url}`);
    const query = searchParams.get("query");
    if (query === null) {
      if (!/^CREATE TABLE IF NOT EXISTS logs \(.*ReplacingMergeTree.*\(ledger, id\)$/s.test(body)) {
        throw new Error(`no statement: ${body}`);
      }
      this.#hasTable = true;
      return [];
    }
    if (!this.#hasTable) throw new Error("Table books.logs does not exist");
    if (query !== `INSERT INTO logs (${ROW_FIELDS.replaceAll(",", ", ")}) FORMAT JSONEachRow`) {
      throw new Error(`no insert: ${query}`);
    }
    if (!body.endsWith("}\n")) throw new Error("the last row does not end");
    return body.split("\n").slice(0, -1).map(toRow);
  }
}

function toRow(line: string): ReceivedEntry {
  const row = parseJson(line) as { ledger: string; id: number; date: string; data: object };
  if (Object.keys(row).join() !== ROW_FIELDS || !ROW_DATE.test(row.date)) {
    throw new Error(`no row of the table: ${line}`);
  }
  return { ledger: row.ledger, id: row.id, text: stringifyJson(row) };
}
