import type { Funding } from "./fundings.ts";
import { decodeString } from "./strings.ts";
import { portionOf } from "./types.ts";
import { bindVariables } from "./variables.ts";
import {
  type Amount,
  type Expression,
  literalAccount,
  type Program,
  type Share,
  type Source,
} from "#numscript/syntax/ast.ts";
import { type DiagnosticCode, ScriptError } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";
import {
  allot,
  compare,
  costOf,
  type Fraction,
  ONE,
  PortionSum,
  subtract,
} from "#numscript/values/portions.ts";
import type { BalanceQuery, Environment, Output, RunInput } from "#numscript/values/run.ts";
import { type Monetary, type Value, WORLD } from "#numscript/values/values.ts";

/**
 * The state of a run: variables and tracked balances. Balances of `balance()` and of sources are read before the first
 * statement, and tracked from then on. Money that reaches other accounts cannot be used in the run.
 */
export class MachineState {
  readonly output: Output;
  readonly #tracked = new Map<string, bigint>();
  #environment: Environment = new Map();

  constructor(output: Output) {
    this.output = output;
  }

  /** Binds the variables and reads all balances with one query. */
  prepare(program: Program, input: RunInput): void {
    const { environment, balances } = bindVariables(program, input, (expression, known) => {
      this.#environment = known;
      return this.evaluate(expression);
    });
    this.#environment = environment;
    const queries = new Map<string, BalanceQuery>();
    for (const { account, asset } of balances)
      queries.set(pairOf(account, asset), { account, asset });
    for (const statement of program.statements) {
      if (statement.kind !== "send") continue;
      const asset = this.assetOf(statement.amount);
      this.#collect(statement.source, (account) => {
        queries.set(pairOf(account, asset), { account, asset });
      });
    }
    if (queries.size > 0) {
      const found = input.reader.balances([...queries.values()]);
      for (const [index, pair] of [...queries.keys()].entries()) {
        this.#tracked.set(pair, found[index] ?? 0n);
      }
    }
    for (const { variable, account, asset } of balances) {
      const amount = this.balance(account, asset) ?? 0n;
      if (amount < 0n) {
        const message = `tried to request the balance of account ${account} for asset ${asset}: received ${amount}: monetary amounts must be non-negative`;
        stop("negative-balance", message, variable.range);
      }
      environment.set(variable.name, { type: "monetary", asset, amount });
    }
  }

  /** The balance of an account; undefined if it is not tracked. */
  balance(account: string, asset: string): bigint | undefined {
    return this.#tracked.get(pairOf(account, asset));
  }

  /** Changes the balance of an account, if it is tracked. The balance of `world` never changes. */
  change(account: string, asset: string, amount: bigint): void {
    const pair = pairOf(account, asset);
    const known = this.#tracked.get(pair);
    if (known !== undefined && account !== WORLD) this.#tracked.set(pair, known + amount);
  }

  /** Returns money to the accounts from which it was drawn. */
  repay(funding: Funding, asset: string): void {
    for (const { account, amount } of funding) this.change(account, asset, amount);
  }

  /** Divides an amount by shares, of which one may be `remaining`. */
  divide(amount: bigint, shares: readonly Share[]): bigint[] {
    const sum = new PortionSum();
    const portions: (Fraction | undefined)[] = [];
    for (const share of shares) {
      const portion = share.kind === "remaining" ? undefined : this.#portion(share.expression);
      portions.push(portion);
      if (portion === undefined) continue;
      this.output.spend(costOf(portion));
      if (!sum.add(portion)) {
        stop("limit-exceeded", "the portions have too many digits", share.range);
      }
      if (compare(sum.total, ONE) > 0) {
        stop("portions-above-one", "sum of portions exceeded 100%", share.range);
      }
    }
    const remaining = subtract(ONE, sum.total);
    return allot(
      amount,
      portions.map((portion) => portion ?? remaining),
    );
  }

  monetary(expression: Expression): Monetary {
    const value = this.evaluate(expression);
    return value.type === "monetary" ? value : unchecked(expression);
  }

  account(expression: Expression): string {
    const value = this.evaluate(expression);
    return value.type === "account" ? value.name : unchecked(expression);
  }

  evaluate(expression: Expression): Value {
    this.output.spend(1);
    switch (expression.kind) {
      case "variable":
        return this.#environment.get(expression.name) ?? unchecked(expression);
      case "account":
        return { type: "account", name: literalAccount(expression) ?? unchecked(expression) };
      case "asset":
        return { type: "asset", name: expression.name };
      case "number":
        return { type: "number", value: expression.value };
      case "string":
        return { type: "string", text: decodeString(expression.literal, expression.range) };
      case "percentage":
      case "fraction":
        return { type: "portion", value: portionOf(expression) };
      case "monetary": {
        const [asset, amount] = [this.evaluate(expression.asset), this.evaluate(expression.amount)];
        return asset.type === "asset" && amount.type === "number"
          ? { type: "monetary", asset: asset.name, amount: amount.value }
          : unchecked(expression);
      }
      case "binary":
        return this.#operate(expression);
      case "negation":
      case "call":
        return unchecked(expression);
    }
  }

  #operate(expression: Extract<Expression, { kind: "binary" }>): Value {
    const [left, right] = [this.evaluate(expression.left), this.evaluate(expression.right)];
    const isSum = expression.operator === "+";
    if (left.type === "number" && right.type === "number") {
      const value = isSum ? left.value + right.value : left.value - right.value;
      return { type: "number", value };
    }
    if (left.type !== "monetary" || right.type !== "monetary") return unchecked(expression);
    if (left.asset !== right.asset) {
      const message = `cannot ${isSum ? "add" : "subtract"} different assets: ${left.asset} and ${right.asset}`;
      return stop("asset-mismatch", message, expression.range);
    }
    const amount = isSum ? left.amount + right.amount : left.amount - right.amount;
    return { type: "monetary", asset: left.asset, amount };
  }

  #portion(expression: Expression): Fraction {
    const value = this.evaluate(expression);
    return value.type === "portion" ? value.value : unchecked(expression);
  }

  /** The asset of a `send` or `save`. A sum has the asset of its first operand. */
  assetOf(amount: Amount): string {
    if (amount.kind === "exact") {
      const first = leftmost(amount.expression);
      const asset = this.evaluate(first.kind === "monetary" ? first.asset : first);
      return asset.type === "asset" || asset.type === "monetary" ? nameOf(asset) : unchecked(first);
    }
    const asset = this.evaluate(amount.asset);
    return asset.type === "asset" ? asset.name : unchecked(amount.asset);
  }

  /** Calls `tell` with each account of a source that has a limit. */
  #collect(source: Source, tell: (account: string) => void): void {
    switch (source.kind) {
      case "account": {
        if (isUnbounded(source)) return;
        const account = this.account(source.account);
        if (account === WORLD) {
          const message =
            "`@world` can only be used as a variable in the experimental interpreter, or if it is never used as a source";
          throw new ScriptError("invalid", "world-as-source", { message, range: source.range });
        }
        return tell(account);
      }
      case "max":
        return this.#collect(source.source, tell);
      case "inOrder":
      case "oneOf":
        for (const member of source.sources) this.#collect(member, tell);
        return;
      case "allotment":
        for (const branch of source.branches) this.#collect(branch.source, tell);
        return;
      case "scaling":
        return;
    }
  }
}

/** Throws an error of the script in a run. */
export function stop(code: DiagnosticCode, message: string, range: Range): never {
  throw new ScriptError("runtime", code, { message, range });
}

/** Whether an account gives any amount: it is the literal `@world`, or has an unbounded overdraft. */
export const isUnbounded = ({
  account,
  overdraft,
}: Extract<Source, { kind: "account" }>): boolean =>
  overdraft?.kind === "unbounded" || literalAccount(account) === WORLD;

/** The first operand of a sum, which the machine uses if only an asset, or only the amount of a `save`, is needed. */
export function leftmost(expression: Expression): Expression {
  let first = expression;
  while (first.kind === "binary") first = first.left;
  return first;
}

const nameOf = (value: Monetary | { readonly type: "asset"; readonly name: string }): string =>
  value.type === "asset" ? value.name : value.asset;

const pairOf = (account: string, asset: string): string => `${account} ${asset}`;

/** The error for a script that was not checked. */
export const unchecked = ({ range }: { range: Range }): never =>
  stop("type-mismatch", "the expression has another type than its place needs", range);
