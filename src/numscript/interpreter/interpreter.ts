import { deliver } from "./destinations.ts";
import { evaluate, evaluateAccount } from "./expressions.ts";
import { Arguments, unknownFunction } from "./functions.ts";
import { evaluateAmount, prefetchBalances } from "./prefetch.ts";
import { Queue } from "./queue.ts";
import { pull, pullExactly, type Transfer } from "./sources.ts";
import { fail, RunState } from "./state.ts";
import { bindVariables } from "./variables.ts";
import type {
  Call,
  Program,
  SaveStatement,
  SendStatement,
  Statement,
} from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";
import type { Output, RunInput } from "#numscript/values/run.ts";
import { printValue } from "#numscript/values/values.ts";

/**
 * Runs a script of the runtime `experimental-interpreter`, and collects its output. Throws `ScriptError`, with the reason
 * "missing-funds" if a source does not have enough, and "runtime" for other errors.
 *
 *     send    pull:     source ──► queue ───── @a 30, @b 70 ─────┐      only the needed amount, from sources in order
 *             deliver:  queue head ──► destination, a posting for each piece
 */
export function interpret(program: Program, input: RunInput, output: Output): void {
  const state = new RunState(input, output);
  for (const { name, range } of program.features) state.enable(name, range);
  bindVariables(state, program);
  prefetchBalances(state, program);
  for (const statement of program.statements) execute(state, statement);
  state.assertPostings();
}

function execute(state: RunState, statement: Statement): void {
  state.output.spend(1);
  switch (statement.kind) {
    case "send":
      return send(state, statement);
    case "save":
      return save(state, statement);
    case "call":
      return setMetadata(state, statement.call);
    case "print":
    case "fail":
      // The parser accepts `print` and `fail` only for the machine.
      return fail("unknown-function", `Invalid function: ${statement.kind}`, statement.range);
  }
}

/** Runs a `send`. All pulled money is delivered, so that no money of one statement gets into the next. */
function send(state: RunState, statement: SendStatement): void {
  const { source, destination } = statement;
  const { asset, amount } = evaluateAmount(state, statement.amount);
  const place = statement.amount.range;
  const transfer: Transfer = { state, asset, place, queue: new Queue() };
  if (amount === "all") deliver(transfer, destination, pull(transfer, source, amount));
  else {
    assertNotNegative(amount, place);
    pullExactly(transfer, source, amount);
    deliver(transfer, destination, amount);
  }
  if (!transfer.queue.isEmpty) throw new Error("what is pulled is delivered");
}

/**
 * Runs a `save`: sets money aside, at most the balance, so that later statements do not send it. An overdrawn account counts
 * as empty after a `save` of an amount, as scripts with overdrafts expect.
 */
function save(state: RunState, statement: SaveStatement): void {
  const { asset, amount } = evaluateAmount(state, statement.amount);
  const account = evaluateAccount(state, statement.account);
  if (amount !== "all") assertNotNegative(amount, statement.amount.range);
  const balance = state.balances.get(account, asset);
  if (amount === "all") {
    if (balance > 0n) state.balances.set(account, asset, 0n);
  } else if (amount > 0n) {
    state.balances.set(account, asset, balance > amount ? balance - amount : 0n);
  }
}

function assertNotNegative(amount: bigint, range: Range): void {
  if (amount < 0n) fail("negative-amount", `Cannot send negative amount: ${amount}`, range);
}

/** Runs `set_tx_meta(key, value)` or `set_account_meta(account, key, value)`. */
function setMetadata(state: RunState, call: Call): void {
  const { output } = state;
  if (call.name !== "set_tx_meta" && call.name !== "set_account_meta") return unknownFunction(call);
  const values = call.arguments.map((argument) => evaluate(state, argument));
  if (call.name === "set_tx_meta") {
    const given = new Arguments(call, values, 2);
    return output.setMetadata(given.at(0, "string").text, printValue(given.any(1)));
  }
  const given = new Arguments(call, values, 3);
  const { name: account } = given.at(0, "account");
  output.setAccountMetadata(account, given.at(1, "string").text, printValue(given.any(2)));
}
