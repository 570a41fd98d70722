import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bytesOf, changesOf, measureAlternatives } from "./search/alternatives.ts";
import { factsOf, payment, transactionEvent } from "./search/objects.ts";
import { indexedObject } from "#modules/search/core/indexed.ts";
import type { Kind } from "#modules/search/core/kinds.ts";
import { clauseOf, parseTerm } from "#modules/search/core/terms.ts";
import { LogFollower } from "#modules/search/engine/follower.ts";
import { Generations } from "#modules/search/engine/generations.ts";
import type { SearchIndex } from "#modules/search/engine/search-index.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { run } from "#scripts/lib/main.ts";

/**
 * `node bench/search.ts [--size N] [--payments N] [--alternatives N]` fills one shard of the search with the transactions of a ledger, as a
 * shard follows a log, and with payments, and measures bytes, rows and searches, on `node:sqlite`.
 */
const SIZE_STANDARD = 1_000_000;
const PAYMENTS_STANDARD = 200_000;
const ALTERNATIVES_STANDARD = 100_000;
/** Entries that one read of a log gives, while the shard keeps up and while it catches up. */
const MESSAGE = 10;
const CATCH_UP = 500;
const REPEATS = 200;
const LEDGER = { key: "uuid", name: "shop" };

async function bench(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: "string" },
      payments: { type: "string" },
      alternatives: { type: "string" },
    },
  });
  const size = Number(values.size ?? SIZE_STANDARD);
  const payments = Number(values.payments ?? PAYMENTS_STANDARD);
  for (const { name, bytes, rows } of measureAlternatives(
    Number(values.alternatives ?? ALTERNATIVES_STANDARD),
  )) {
    console.log(`${name}: ${bytes.toFixed(0)} bytes, ${rows.toFixed(2)} rows`);
  }
  const folder = mkdtempSync(join(tmpdir(), "florin-search-"));
  try {
    const sql = new NodeSql(join(folder, "shard.sqlite"));
    const index = await fill(sql, { size, payments });
    measureSearches(index, { size, payments });
    sql.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function fill(
  sql: NodeSql,
  { size, payments }: { readonly size: number; readonly payments: number },
): Promise<SearchIndex> {
  const generations = new Generations(sql);
  const { index } = generations.ensureServing(Date.now());
  const follower = (entries: number) =>
    new LogFollower(generations, {
      read: async (_ledger, from, to) => {
        const end = Math.min(from + entries - 1, to, size);
        const events = [];
        for (let id = Math.max(from, 1); id <= end; id++) events.push(transactionEvent(id));
        return { events, to: end };
      },
      nowMs: () => Date.now(),
    });
  index.follow(LEDGER);
  const untilMs = Infinity;
  // Most of the log is caught up with; the rest comes in messages, as at 50 writes a second.
  const head = Math.floor(size * 0.9);
  await measured(sql, { what: "transactions, catching up", count: head }, () =>
    follower(CATCH_UP).catchUp(index, LEDGER.key, { to: head, untilMs }),
  );
  const left = { what: `transactions, ${MESSAGE} in a message`, count: size - head };
  await measured(sql, left, () =>
    follower(MESSAGE).catchUp(index, LEDGER.key, { to: size, untilMs }),
  );
  console.log(`${(bytesOf(sql) / size).toFixed(1)} bytes a transaction, accounts included`);
  index.follow({ key: "PAYMENT", name: "" });
  await measured(sql, { what: "payments", count: payments }, async () => {
    for (let at = 0; at < payments; at += CATCH_UP) {
      const objects = Array.from({ length: Math.min(CATCH_UP, payments - at) }, (_, more) => {
        const object = payment(at + more);
        return indexedObject("PAYMENT", object.id, object);
      });
      index.accept("PAYMENT", objects);
    }
  });
  return index;
}

/** Prints what some work has taken for each of the objects that it has indexed. */
async function measured(
  sql: NodeSql,
  { what, count }: { readonly what: string; readonly count: number },
  work: () => Promise<unknown>,
): Promise<void> {
  const [bytes, rows, startedMs] = [bytesOf(sql), changesOf(sql), performance.now()];
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  const figures = [
    `${(count / seconds).toFixed(0)}/s`,
    `${((bytesOf(sql) - bytes) / count).toFixed(1)} bytes`,
    `${((changesOf(sql) - rows) / count).toFixed(2)} rows each, documents and rows inside of FTS5 counted`,
  ];
  console.log(`${count} ${what}: ${figures.join(", ")}`);
}

function measureSearches(
  index: SearchIndex,
  { size, payments }: { readonly size: number; readonly payments: number },
): void {
  const pick = (at: number): number => 1 + Math.floor((at * 0.618_034 * size) % size);
  const cases: readonly (readonly [string, Kind, (at: number) => string[]])[] = [
    ["a reference", "TRANSACTION", (at) => [`reference=${factsOf(pick(at)).reference}`]],
    ["an amount", "TRANSACTION", (at) => [`${factsOf(pick(at)).amount}`]],
    ["a segment of an address", "TRANSACTION", (at) => [`${factsOf(pick(at)).user}`]],
    ["a segment of every address", "TRANSACTION", () => ["users"]],
    ["a metadata value", "TRANSACTION", (at) => [factsOf(pick(at)).customer]],
    [
      "a value of a key",
      "TRANSACTION",
      (at) => [`metadata.customer=${factsOf(pick(at)).customer}`],
    ],
    ["a beginning that many words share", "TRANSACTION", () => ["cus"]],
    ["a beginning of one frequent word", "TRANSACTION", () => ["invo"]],
    [
      "a frequent word and an amount",
      "TRANSACTION",
      (at) => ["invoice", `${factsOf(pick(at)).amount}`],
    ],
    ["two frequent terms", "TRANSACTION", () => ["users", "payout"]],
    ["nothing that exists", "TRANSACTION", (at) => [`nobody-${at}`]],
    ["a payment's reference", "PAYMENT", (at) => [`pay-${pick(at) % payments}`]],
    ["payments that failed", "PAYMENT", () => ["status=FAILED"]],
  ];
  for (const [name, kind, termsAt] of cases) {
    const times: number[] = [];
    let found = 0;
    for (let at = 0; at < REPEATS; at++) {
      const clauses = termsAt(at).map((term) => clauseOf(parseTerm(term)));
      const startedMs = performance.now();
      const { candidates } = index.find({ kind, clauses, policy: "AND", patterns: [], limit: 6 });
      times.push(performance.now() - startedMs);
      found += candidates.length;
    }
    times.sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
    console.log(
      `${name}: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(0.999)} ms; ${(found / REPEATS).toFixed(1)} found`,
    );
  }
}

await run(bench);
