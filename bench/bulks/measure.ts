import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { RawRows } from "./raw-rows.ts";
import { addressOf, ASSET } from "#bench/layouts/payloads.ts";
import { generate, type GeneratedTransaction } from "#bench/layouts/transactions.ts";
import { INFO } from "#bench/reads/fill.ts";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import type { Account, Asset, Command } from "#ledger-engine/rules/types.ts";
import { parseMetadata } from "#ledger-engine/storage/account-rows.ts";
import { systemClock } from "#platform/clock.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

export const BULKS_NAME = "engine-bulks";

const BULK = 1000;
/** Rounds before the measurement, after which the engine has nearly all accounts in memory, as in a running server. */
const ROUNDS_WARM = 60;
/** Measured rounds, in which each side makes some 25 checkpoints of its write-ahead log, which take as long as several bulks. */
const ROUNDS = 200;

/** The rate at which the engine executes bulks, and the rate of plain insertions of the same rows. */
export interface BulkFigures {
  /** The transactions of the ledger before the bulks. */
  readonly size: number;
  readonly enginePerSecond: number;
  readonly insertedPerSecond: number;
  /** The engine's rate as a share of the rate of insertions. */
  readonly share: number;
}

/** Makes a ledger of 10,000 accounts and a copy. Each bulk is then executed in the ledger, and its new rows are inserted into the copy. */
export function measureBulks(size: number): BulkFigures {
  const folder = mkdtempSync(join(tmpdir(), "florin-bench-"));
  const [file, copy] = [join(folder, "ledger.db"), join(folder, "copy.db")];
  const transactions = generate(Infinity);
  try {
    const empty = new NodeSql(file);
    LedgerEngine.create(empty, INFO);
    const engine = new LedgerEngine(empty, systemClock);
    for (let done = 0; done < size; done += BULK) execute(engine, commandsOf(transactions));
    empty.close();
    copyFileSync(file, copy);
    return { size, ...measureRounds({ file, copy }, transactions) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs the bulks with the engine of a checkout, in a process of its own. */
export async function runBulks(root: string, size: number): Promise<BulkFigures> {
  const args = [join(root, "bench/bench.ts"), "--only", BULKS_NAME, "--size", `${size}`, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return (JSON.parse(stdout) as { bulks: BulkFigures }).bulks; // `bench.ts` reports this form.
}

function measureRounds(
  { file, copy }: { readonly file: string; readonly copy: string },
  transactions: Iterator<GeneratedTransaction>,
): Omit<BulkFigures, "size"> {
  const ledger = new NodeSql(file);
  const engine = new LedgerEngine(ledger, systemClock);
  // Another connection reads the rows, so that the reads do not change the engine's memory.
  const [made, inserted] = [new RawRows(file), new RawRows(copy)];
  const collect = youngCollector();
  let [engineMs, insertMs] = [0, 0];
  for (let round = -ROUNDS_WARM; round < ROUNDS; round++) {
    const commands = commandsOf(transactions);
    const { lastIds } = made;
    collect();
    const roundMs = elapsedMs(() => execute(engine, commands));
    const rows = made.after(lastIds);
    collect();
    const rawMs = elapsedMs(() => inserted.insert(rows));
    if (round < 0) continue;
    engineMs += roundMs;
    insertMs += rawMs;
  }
  if (made.counts.join() !== inserted.counts.join()) throw new Error("the copy has other rows");
  for (const opened of [ledger, made, inserted]) opened.close();
  const perSecond = (ms: number): number => (ROUNDS * BULK * 1000) / ms;
  return {
    enginePerSecond: perSecond(engineMs),
    insertedPerSecond: perSecond(insertMs),
    share: insertMs / engineMs,
  };
}

/** A function that collects young garbage, so that neither side collects the garbage of the measurement. */
function youngCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as NodeJS.GCFunction; // The flag adds `gc` to the globals of new contexts.
  return () => collect({ type: "minor" });
}

function elapsedMs(work: () => void): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

function execute(engine: LedgerEngine, commands: readonly Command[]): void {
  const elements = commands.map((value) => ({
    command: { ok: true as const, value },
    idempotencyKey: "",
  }));
  const results = engine.executeBulk(elements, { atomic: false, continueOnFailure: false });
  const refused = results.find(({ ok }) => !ok);
  if (refused !== undefined) throw new Error(`a command was refused: ${JSON.stringify(refused)}`);
}

/** The commands of the next bulk. */
const commandsOf = (transactions: Iterator<GeneratedTransaction>): Command[] =>
  Array.from({ length: BULK }, () => {
    const next = transactions.next();
    if (next.done === true) throw new Error("there is always another transaction");
    const { value } = next;
    return {
      kind: "createTransaction",
      postings: [
        {
          source: accountOf(value.source),
          destination: accountOf(value.destination),
          amount: BigInt(value.amount),
          asset: ASSET as Asset, // The text has the right form.
        },
      ],
      metadata: value.metadata === undefined ? {} : parseMetadata(value.metadata),
      force: false,
    };
  });

/** The address of an account as a flat string, as a parser gives it: V8 would flatten a concatenated string at its first read. */
const accountOf = (account: number): Account =>
  JSON.parse(JSON.stringify(addressOf(account))) as Account; // The text has the right form.
