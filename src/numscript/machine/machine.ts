import { deliver } from "./delivery.ts";
import { append, type Funding, type FundingPart } from "./fundings.ts";
import { draw, pull } from "./sources.ts";
import { leftmost, MachineState, stop, unchecked } from "./state.ts";
import type {
  Expression,
  Program,
  SaveStatement,
  SendStatement,
  Source,
  Statement,
} from "#numscript/syntax/ast.ts";
import type { Output, RunInput } from "#numscript/values/run.ts";
import { type Monetary, printValue } from "#numscript/values/values.ts";

/**
 * Runs a script that `checkMachine` has accepted. Throws `ScriptError`.
 *
 *     send    draw:     source ──► funding (everything that the accounts have)
 *             take:     the needed amount from the front; the rest is repaid to its accounts
 *             deliver:  funding ──► destination, a posting for each part; kept money is repaid
 */
export function runMachine(program: Program, input: RunInput, output: Output): void {
  const state = new MachineState(output);
  state.prepare(program, input);
  for (const statement of program.statements) execute(state, statement);
}

function execute(state: MachineState, statement: Statement): void {
  state.output.spend(1);
  switch (statement.kind) {
    case "send":
      return send(state, statement);
    case "save":
      return save(state, statement);
    case "call":
      return setMetadata(state, statement.call.name, statement.call.arguments);
    case "print":
      state.output.printed.push(printValue(state.evaluate(statement.expression)));
      return;
    case "fail":
      return stop("explicit-failure", "script exited with error code", statement.range);
  }
}

function send(state: MachineState, { amount, source, destination }: SendStatement): void {
  const asset = state.assetOf(amount);
  const funding =
    amount.kind === "all"
      ? draw(state, source, asset).funding
      : pullAmount(state, state.monetary(amount.expression), source);
  state.repay(deliver(state, destination, { funding, asset }), asset);
}

/** Pulls an amount. Each branch of an allotment repays the money beyond its part before the next branch draws. */
function pullAmount(state: MachineState, { asset, amount }: Monetary, source: Source): Funding {
  if (source.kind !== "allotment") return pull(state, source, { asset, amount });
  const parts = state.divide(
    amount,
    source.branches.map(({ share }) => share),
  );
  const funding: FundingPart[] = [];
  for (const [index, branch] of source.branches.entries()) {
    const part = pull(state, branch.source, { asset, amount: parts[index] ?? 0n });
    append(funding, part, state.output);
  }
  return funding;
}

/** Runs a `save`: subtracts the saved amount from the balance, which may fall below zero. */
function save(state: MachineState, { amount, account }: SaveStatement): void {
  const name = state.account(account);
  if (amount.kind === "exact") {
    const saved = state.monetary(leftmost(amount.expression));
    state.change(name, saved.asset, -saved.amount);
    return;
  }
  const asset = state.assetOf(amount);
  const balance = state.balance(name, asset) ?? 0n;
  if (balance > 0n) state.change(name, asset, -balance);
}

function setMetadata(
  state: MachineState,
  name: string,
  [first, second, third]: readonly Expression[],
): void {
  if (first === undefined || second === undefined) return;
  if (name === "set_tx_meta") {
    state.output.setMetadata(keyOf(state, first), printValue(state.evaluate(second)));
  } else if (third !== undefined) {
    const text = printValue(state.evaluate(third));
    state.output.setAccountMetadata(state.account(first), keyOf(state, second), text);
  }
}

function keyOf(state: MachineState, expression: Expression): string {
  const value = state.evaluate(expression);
  return value.type === "string" ? value.text : unchecked(expression);
}
