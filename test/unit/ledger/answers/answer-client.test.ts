import { describe, expect, test } from "vitest";
import { AnswerClient, pageCache } from "#modules/ledger/answers/answer-client.ts";
import type { AmountForm } from "#modules/ledger/answers/result-json.ts";
import { NOT_MODIFIED, toVersionedBody } from "#modules/ledger/answers/versioned-body.ts";
import { systemContext } from "#platform/context.ts";
import { ALL } from "#test/support/ledger-engine/fixtures.ts";

const LONG = "x".repeat(5000);

/** Objects of ledgers that answer every read with the body of their version, and record the versions that callers know. */
class FakeLedgers {
  version = "v 1";
  body = LONG;
  readonly known: string[] = [];
  /** The number of requests that were parsed. */
  parsed = 0;
  readonly #client: AnswerClient;

  constructor(charactersMax?: number) {
    const object = {
      readBody: async (_text: string, knownVersion: string) => {
        this.known.push(knownVersion);
        return knownVersion === this.version
          ? NOT_MODIFIED
          : toVersionedBody(this.version, this.body);
      },
    };
    const env = { LEDGERS: { getByName: () => object } } as unknown as Env; // the client uses this binding only
    this.#client = new AnswerClient(systemContext(env, "test"), pageCache(charactersMax));
  }

  /** Reads the page of log entries of a query text. */
  read({ queryText = "", ledger = "a", amounts = "integer" }: PageOfLogs = {}) {
    const toQuery = () => {
      this.parsed++;
      return ALL;
    };
    return this.#client.logs(ledger, { queryText, toQuery, amounts });
  }

  readUnkeyed = () =>
    this.#client.logs("a", { queryText: undefined, toQuery: () => ALL, amounts: "integer" });

  readAccount = () =>
    this.#client.account("a", "users:1", {
      volumes: false,
      effectiveVolumes: false,
      amounts: "integer",
    });
}

interface PageOfLogs {
  readonly queryText?: string;
  readonly ledger?: string;
  readonly amounts?: AmountForm;
}

describe("the cached pages of an isolate", () => {
  test("the page of a repeated read is cached, and is read again in another version", async () => {
    const ledgers = new FakeLedgers();
    for (let time = 0; time < 3; time++) expect(await ledgers.read()).toBe(LONG);
    ledgers.version = "v 2";
    ledgers.body = `${LONG}y`;
    for (let time = 0; time < 2; time++) expect(await ledgers.read()).toBe(`${LONG}y`);
    expect(ledgers.known).toEqual(["", "", "v 1", "v 1", "v 2"]);
  });

  test("a short page is not cached", async () => {
    const ledgers = new FakeLedgers();
    ledgers.body = "short";
    for (let time = 0; time < 3; time++) expect(await ledgers.read()).toBe("short");
    expect(ledgers.known).toEqual(["", "", ""]);
  });

  test("another ledger, query or form of amounts is another page", async () => {
    const ledgers = new FakeLedgers();
    for (let time = 0; time < 3; time++) await ledgers.read();
    await ledgers.read({ ledger: "b" });
    await ledgers.read({ queryText: "pageSize=3" });
    await ledgers.read({ amounts: "text" });
    expect(ledgers.known).toEqual(["", "", "v 1", "", "", ""]);
  });

  test("the request of a known page is not parsed again", async () => {
    const ledgers = new FakeLedgers();
    for (let time = 0; time < 3; time++) await ledgers.read();
    expect(ledgers.parsed).toBe(1);
  });

  test("a page that does not depend on the query alone is not cached", async () => {
    const ledgers = new FakeLedgers();
    for (let time = 0; time < 3; time++) await ledgers.readUnkeyed();
    expect(ledgers.known).toEqual(["", "", ""]);
  });

  test("a single resource is not cached", async () => {
    const ledgers = new FakeLedgers();
    for (let time = 0; time < 3; time++) await ledgers.readAccount();
    expect(ledgers.known).toEqual(["", "", ""]);
  });

  test("a page with a very long query is not cached", async () => {
    const ledgers = new FakeLedgers();
    const queryText = `query=${"x".repeat(2000)}`;
    for (let time = 0; time < 3; time++) expect(await ledgers.read({ queryText })).toBe(LONG);
    expect(ledgers.known).toEqual(["", "", ""]);
  });

  test("the oldest pages make room for others", async () => {
    const ledgers = new FakeLedgers(12_000);
    const pages = ["pageSize=1", "pageSize=2", "pageSize=3"];
    for (const queryText of pages) {
      for (let time = 0; time < 2; time++) await ledgers.read({ queryText });
    }
    for (const queryText of pages.toReversed()) await ledgers.read({ queryText });
    expect(ledgers.known.slice(6)).toEqual(["v 1", "v 1", ""]);
  });
});
