import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { LedgerModel, type ModelOptions, type ModelOutcome } from "./model.ts";
import { type Step, versionOf, withoutScript, type Write } from "./steps.ts";
import { toIdempotencyText } from "#ledger-engine/rules/log/idempotency.ts";
import type { AccountRecord, Command, LogEntry, Transaction } from "#ledger-engine/rules/types.ts";
import type {
  BulkElement,
  BulkOptions,
  Outcome,
  WriteOptions,
} from "#ledger-engine/rules/writes.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { Result } from "#platform/result.ts";
import { ZERO_TIMESTAMP, type Timestamp } from "#platform/time.ts";
import { ALL, element } from "#test/support/ledger-engine/fixtures.ts";

/** A ledger in any environment that is compared with the model. */
export interface LedgerUnderTest {
  /** The time at which the test begins. */
  readonly start: Timestamp;
  /** Whether writes that a schema does not allow are refused. */
  readonly isStrict?: boolean;
  execute(command: Command, options: WriteOptions): Promise<Result<Outcome>>;
  executeBulk(elements: readonly BulkElement[], options: BulkOptions): Promise<Result<Outcome>[]>;
  listTransactions(query: PageQuery): Promise<Page<Transaction>>;
  listAccounts(query: PageQuery): Promise<Page<AccountRecord>>;
  readLogs(): Promise<readonly LogEntry[]>;
  evict(): Promise<void>;
  wait(seconds: number): void;
}

/** Takes a ledger and the model through the same steps and compares them after each step. */
export async function checkAgainstModel(
  ledger: LedgerUnderTest,
  steps: readonly Step[],
): Promise<void> {
  const model = new LedgerModel({ isStrict: ledger.isStrict ?? false });
  const writes: Write[] = [];
  for (const step of steps) {
    await runStep({ ledger, model, writes }, step);
    await expectSameState(ledger, model);
  }
  const log = await ledger.readLogs();
  expect(textsOf(log)).toEqual(textsOf(model.log));
  await expectSameState(ledger, LedgerModel.fromLog(log));
  expectConserved((await ledger.listAccounts(BY_ADDRESS)).data);
}

interface Run {
  readonly ledger: LedgerUnderTest;
  readonly model: LedgerModel;
  /** All writes so far. */
  readonly writes: Write[];
}

async function runStep(run: Run, step: Step): Promise<void> {
  switch (step.kind) {
    case "write":
      return runWrite(run, step.write, step.dryRun);
    case "repeat": {
      const write = run.writes[step.nth % run.writes.length];
      return write === undefined ? undefined : runWrite(run, write, false);
    }
    case "bulk":
      return runBulk(run, step);
    case "evict":
      run.model.evict();
      return run.ledger.evict();
    case "wait":
      return run.ledger.wait(step.seconds);
  }
}

async function runWrite(run: Run, write: Write, dryRun: boolean): Promise<void> {
  const { ledger, model, writes } = run;
  writes.push(write);
  const command = toCommand(run, write);
  const { key } = write;
  const schemaVersion = versionOf(write.schema, model.versions);
  const result = await ledger.execute(command, { idempotencyKey: key, dryRun, schemaVersion });
  const now = await dateOf(result, () => ledger.readLogs());
  const options = { key, dryRun, now, schemaVersion, ...inputsOf(command) };
  const expected = model.execute(withoutScript(command), options);
  expect(textOf(toOutcome(result))).toBe(textOf(expected));
}

async function runBulk(run: Run, step: Extract<Step, { kind: "bulk" }>): Promise<void> {
  const { ledger, model, writes } = run;
  const { atomic, continueOnFailure } = step;
  const schemaVersion = versionOf(step.schema, model.versions);
  writes.push(...step.writes);
  const commands = step.writes.map((write) => ({
    key: write.key,
    command: toCommand(run, write),
  }));
  const results = await ledger.executeBulk(
    commands.map(({ command, key }) => element(command, key)),
    { atomic, continueOnFailure, schemaVersion },
  );
  const log = await ledger.readLogs();
  const dates = await Promise.all(results.map((result) => dateOf(result, async () => log)));
  const expected: ModelOutcome[] = [];
  const runAll = (): boolean => {
    for (const [index, { command, key }] of commands.entries()) {
      const now = dates[index] ?? ZERO_TIMESTAMP;
      const options = { key, dryRun: false, now, schemaVersion, ...inputsOf(command) };
      const outcome = model.execute(withoutScript(command), options);
      expected.push(outcome);
      if (typeof outcome === "string" && !continueOnFailure) break;
    }
    return !expected.some((outcome) => typeof outcome === "string");
  };
  if (atomic) model.atomically(runAll);
  else runAll();
  expect(textsOf(results.map(toOutcome))).toEqual(textsOf(expected));
}

const toCommand = ({ model, ledger }: Run, write: Write): Command =>
  write.toCommand(
    model.transactions().map(({ id }) => id),
    ledger.start,
  );

/** The parts of a command that the model needs besides its postings. */
const inputsOf = (command: Command): Pick<ModelOptions, "template" | "inputs"> => ({
  template: command.kind === "runScript" ? command.script.template : undefined,
  inputs: toIdempotencyText(command),
});

const toOutcome = (result: Result<Outcome>): ModelOutcome =>
  result.ok ? result.value : result.failure.kind;

/** The date of a write, from its transaction or its log entry. The date of other writes does not matter. */
async function dateOf(
  result: Result<Outcome>,
  readLogs: () => Promise<readonly LogEntry[]>,
): Promise<Timestamp> {
  if (!result.ok) return ZERO_TIMESTAMP;
  const { transaction, logId } = result.value;
  if (transaction !== undefined) return transaction.insertedAt;
  return (await readLogs()).find(({ id }) => id === logId)?.date ?? ZERO_TIMESTAMP;
}

const BY_ADDRESS: PageQuery = { ...ALL, column: "address" };

async function expectSameState(ledger: LedgerUnderTest, model: LedgerModel): Promise<void> {
  const { data: transactions } = await ledger.listTransactions(ALL);
  expectSame(transactions, model.transactions());
  const { data: accounts } = await ledger.listAccounts(BY_ADDRESS);
  expectSame(accounts.map(sorted), model.accounts());
}

/** Asserts that rows are equal. Most rows are exactly equal, which the first comparison finds faster. */
function expectSame(rows: readonly unknown[], expected: readonly unknown[]): void {
  if (isDeepStrictEqual(rows, expected)) return;
  expect(textsOf(rows)).toEqual(textsOf(expected));
}

const sorted = (account: AccountRecord): AccountRecord => ({
  ...account,
  volumes: (account.volumes ?? []).toSorted((a, b) => (a.asset < b.asset ? -1 : 1)),
});

/** Asserts that money is conserved: the balances of each asset add up to zero. */
function expectConserved(accounts: readonly AccountRecord[]): void {
  const totals = new Map<string, bigint>();
  for (const { asset, input, output } of accounts.flatMap(({ volumes = [] }) => volumes)) {
    totals.set(asset, (totals.get(asset) ?? 0n) + input - output);
  }
  expect([...totals.values()].filter((total) => total !== 0n)).toEqual([]);
}

const textsOf = (values: readonly unknown[]): string[] => values.map(textOf);

/** A value as text, with its members sorted. `__proto__` is an ordinary member. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") return item.toString();
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
