import { evaluate, evaluateAccount, evaluateAsset } from "./expressions.ts";
import { asType } from "./functions.ts";
import { coloredAsset } from "./sources.ts";
import type { RunState } from "./state.ts";
import { FEATURES } from "#numscript/features.ts";
import type { Amount, Program, Source, Statement } from "#numscript/syntax/ast.ts";

/**
 * Reads, with one query, the balances of all sources and of saved accounts. Every account with a limit therefore has a
 * known balance before it gives money, and errors in amounts and source accounts are reported before any money moves. Caps,
 * limits, portions and destinations are evaluated later in the run.
 */
export function prefetchBalances(state: RunState, { statements }: Program): void {
  for (const statement of statements) {
    state.output.spend(1);
    wantBalances(state, statement);
  }
  state.balances.read();
}

/** The asset and the amount of a statement; "all" for everything. */
export function evaluateAmount(
  state: RunState,
  amount: Amount,
): { asset: string; amount: bigint | "all" } {
  if (amount.kind === "all") return { asset: evaluateAsset(state, amount.asset), amount: "all" };
  return asType(evaluate(state, amount.expression), "monetary", amount.range);
}

function wantBalances(state: RunState, statement: Statement): void {
  switch (statement.kind) {
    case "send": {
      const { asset } = evaluateAmount(state, statement.amount);
      return wantSource(state, statement.source, asset);
    }
    case "save": {
      const { asset } = evaluateAmount(state, statement.amount);
      return state.balances.wantSource(evaluateAccount(state, statement.account), asset);
    }
    case "call":
    case "print":
    case "fail":
  }
}

function wantSource(state: RunState, source: Source, asset: string): void {
  state.output.spend(1);
  switch (source.kind) {
    case "account": {
      if (source.overdraft?.kind === "unbounded") return;
      const account = evaluateAccount(state, source.account);
      return state.balances.wantSource(account, coloredAsset(state, asset, source.color));
    }
    case "max":
      return wantSource(state, source.source, asset);
    case "inOrder":
    case "oneOf":
      for (const member of source.sources) wantSource(state, member, asset);
      return;
    case "allotment":
      for (const branch of source.branches) wantSource(state, branch.source, asset);
      return;
    case "scaling": {
      const account = evaluateAccount(state, source.account);
      if (state.has(FEATURES.assetScaling)) state.balances.wantScales(account, asset);
    }
  }
}
