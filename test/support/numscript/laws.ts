import { execute } from "./cases.ts";
import { ASSET, type Movement, nameOf } from "./scripts.ts";
import { printProgram } from "#numscript/print/print.ts";
import type {
  Destination,
  Expression,
  KeptOrDestination,
  Runtime,
  SendStatement,
  Share,
  Source,
  Statement,
} from "#numscript/syntax/ast.ts";
import type { ScriptPosting } from "#numscript/values/run.ts";
import { WORLD } from "#numscript/values/values.ts";

/** The effect of one statement of a script. */
export interface Step {
  readonly statement: Statement;
  readonly postings: readonly ScriptPosting[];
}

export interface Run {
  /** The steps of the statements that succeeded. */
  readonly steps: readonly Step[];
  /** The reason for which the next statement failed; absent if all statements succeeded. */
  readonly reason?: string;
}

/**
 * Runs the first statement of a script, then the first two, and so on. Asserts that each run repeats the postings of the run
 * before.
 */
export function runByStatement({ program, balances }: Movement, runtime: Runtime): Run {
  const steps: Step[] = [];
  let before: readonly ScriptPosting[] = [];
  for (const [index, statement] of program.statements.entries()) {
    const beginning = { ...program, statements: program.statements.slice(0, index + 1) };
    const result = runMovement({ program: beginning, balances }, runtime);
    if (!result.ok) return { steps, reason: result.failure.reason };
    const { postings } = result.output;
    if (describe(postings.slice(0, before.length)) !== describe(before)) {
      throw new Error("a later statement has changed the postings of an earlier one");
    }
    steps.push({ statement, postings: postings.slice(before.length) });
    before = postings;
  }
  return { steps };
}

export function runMovement({ program, balances }: Movement, runtime: Runtime) {
  return execute(printProgram(program, runtime), runtime, {
    balances: Object.fromEntries(
      Object.entries(balances).map(([account, balance]) => [account, { [ASSET]: balance }]),
    ),
    flags: ["experimental-oneof"],
  });
}

const describe = (postings: readonly ScriptPosting[]): string =>
  postings.map(({ source, destination, amount }) => `${source}>${destination} ${amount}`).join();

export const sumOf = (postings: readonly ScriptPosting[]): bigint =>
  postings.reduce((sum, { amount }) => sum + amount, 0n);

/** The part of an amount that arrives at accounts; the rest is kept. */
export function arrivingOf(destination: Destination, amount: bigint): bigint {
  switch (destination.kind) {
    case "account":
      return amount;
    case "allotment": {
      const parts = divide(
        amount,
        destination.branches.map(({ share }) => share),
      );
      return destination.branches.reduce(
        (sum, { target }, index) => sum + arrivingAt(target, parts[index] ?? 0n),
        0n,
      );
    }
    case "inOrder": {
      let left = amount;
      let sum = 0n;
      for (const { cap, target } of destination.clauses) {
        const part = least(amountOf(cap), left);
        sum += arrivingAt(target, part);
        left -= part;
      }
      return sum + arrivingAt(destination.remaining, left);
    }
    case "oneOf": {
      const clause = destination.clauses.find(({ cap }) => amountOf(cap) >= amount);
      return arrivingAt(clause?.target ?? destination.remaining, amount);
    }
  }
}

const arrivingAt = (target: KeptOrDestination, amount: bigint): bigint =>
  target.kind === "kept" ? 0n : arrivingOf(target.destination, amount);

/** Divides an amount by the rule of Numscript, with one common denominator of all shares. */
export function divide(amount: bigint, shares: readonly Share[]): bigint[] {
  const denominator = shares.reduce((product, share) => product * fractionOf(share)[1], 1n);
  const known = shares.map((share) => {
    const [numerator, own] = fractionOf(share);
    return share.kind === "remaining" ? undefined : numerator * (denominator / own);
  });
  const rest = known.reduce<bigint>((sum, numerator) => sum - (numerator ?? 0n), denominator);
  const parts = known.map((numerator) => (amount * (numerator ?? rest)) / denominator);
  let missing = parts.reduce((sum, part) => sum - part, amount);
  return parts.map((part) => (missing-- > 0n ? part + 1n : part));
}

function fractionOf(share: Share): readonly [numerator: bigint, denominator: bigint] {
  if (share.kind === "remaining") return [0n, 1n];
  const { expression } = share;
  if (expression.kind === "fraction") return [expression.numerator, expression.denominator];
  if (expression.kind === "percentage") {
    return [expression.digits, 10n ** BigInt(expression.decimals + 2)];
  }
  throw new Error("generated shares are literals");
}

/** The amount of a monetary literal. */
export function amountOf(expression: Expression): bigint {
  if (expression.kind !== "monetary" || expression.amount.kind !== "number") {
    throw new Error("generated amounts are literals");
  }
  return expression.amount.value;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const greatest = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/**
 * Replays postings on the balances at the start of a script, and throws when a source falls below its limit. `save` works as in
 * each runtime: the machine subtracts the saved amount from the balance; in the interpreter the result is never below zero,
 * even if the balance was.
 */
export function assertNoOverdraft(movement: Movement, steps: readonly Step[], runtime: Runtime) {
  const balances = new Map(Object.entries(movement.balances));
  const balanceOf = (account: string): bigint => balances.get(account) ?? 0n;
  for (const { statement, postings } of steps) {
    if (statement.kind === "save") {
      const account = nameOf(statement.account);
      balances.set(account, afterSaving(statement, balanceOf(account), runtime));
    }
    const limits = statement.kind === "send" ? limitsOf(statement.source) : new Map();
    for (const { source, destination, amount } of postings) {
      const limit = limits.get(source) as bigint | "unbounded" | undefined;
      if (limit === undefined) throw new Error(`${source} is no source of the statement`);
      balances.set(source, balanceOf(source) - amount);
      if (limit !== "unbounded" && amount > 0n && balanceOf(source) < -limit) {
        throw new Error(`${source} falls to ${balanceOf(source)}, its limit is ${-limit}`);
      }
      balances.set(destination, balanceOf(destination) + amount);
    }
  }
}

function afterSaving(
  { amount }: Extract<Statement, { kind: "save" }>,
  balance: bigint,
  runtime: Runtime,
): bigint {
  if (amount.kind === "all") return least(balance, 0n);
  const rest = balance - amountOf(amount.expression);
  return runtime === "machine" ? rest : greatest(rest, 0n);
}

/** The allowed overdraft of each account of a source; the largest one for an account with several. */
function limitsOf(source: Source): Map<string, bigint | "unbounded"> {
  const limits = new Map<string, bigint | "unbounded">();
  const pending: Source[] = [source];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === "inOrder" || next.kind === "oneOf") pending.push(...next.sources);
    if (next.kind === "allotment") pending.push(...next.branches.map(({ source }) => source));
    if (next.kind === "max") pending.push(next.source);
    if (next.kind !== "account") continue;
    const { overdraft } = next;
    const account = nameOf(next.account);
    const known = limits.get(account) ?? 0n;
    if (known === "unbounded" || overdraft?.kind === "unbounded" || account === WORLD) {
      limits.set(account, "unbounded");
    } else {
      limits.set(
        account,
        overdraft === undefined ? known : greatest(known, amountOf(overdraft.limit)),
      );
    }
  }
  return limits;
}

/** Postings as text, without zero amounts, and with adjacent postings of the same accounts joined. */
export function withoutZeros(postings: readonly ScriptPosting[]): string {
  const fused: { way: string; amount: bigint }[] = [];
  for (const { source, destination, asset, amount } of postings) {
    if (amount === 0n) continue;
    const way = `${source}>${destination} ${asset}`;
    const last = fused.at(-1);
    if (last?.way === way) last.amount += amount;
    else fused.push({ way, amount });
  }
  return fused.map(({ way, amount }) => `${way} ${amount}`).join("\n");
}

export const isExactSend = (
  statement: Statement,
): statement is SendStatement & { amount: { kind: "exact" } } =>
  statement.kind === "send" && statement.amount.kind === "exact";
