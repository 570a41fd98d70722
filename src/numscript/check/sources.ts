import { checkAllotment } from "./allotments.ts";
import type { AssetNode } from "./assets.ts";
import { shown } from "./report.ts";
import type { CheckState, ExpressionCheck } from "./types.ts";
import { FEATURES } from "#numscript/features.ts";
import { type Expression, literalAccount, type Source, unquoted } from "#numscript/syntax/ast.ts";
import type { DiagnosticCode } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";
import { WORLD } from "#numscript/values/values.ts";

type AccountSource = Extract<Source, { kind: "account" }>;

/** The state of the walk over the sources of a send. */
interface Situation {
  /** Whether the send takes everything that its sources have, not an amount. */
  readonly sendsAll: boolean;
  /** Whether an earlier source is unbounded. */
  isSatisfied: boolean;
}

/**
 * Walks over the sources of one send in order. A source under `max` or in a branch of an allotment gives an amount of its
 * own, and does not affect the sources after it.
 */
export class SourceCheck {
  readonly #state: CheckState;
  readonly #expressions: ExpressionCheck;
  /** The common asset of the amounts, caps and limits of the send. */
  #asset: AssetNode;
  #situation: Situation;
  /** The accounts that earlier sources have emptied, by the text of the script. */
  #emptied = new Set<string>();
  readonly #trail: string[] = [];

  constructor(
    state: CheckState,
    expressions: ExpressionCheck,
    { asset, sendsAll }: { asset: AssetNode; sendsAll: boolean },
  ) {
    this.#state = state;
    this.#expressions = expressions;
    this.#asset = asset;
    this.#situation = { sendsAll, isSatisfied: false };
  }

  check(source: Source): void {
    const situation = this.#situation;
    const isUnreachable = situation.isSatisfied && !this.#state.isMachine;
    if (isUnreachable) {
      const message = "Inorder sources after an unbounded overdraft are never reached";
      this.#state.report.warn("unreachable-source", message, source.range);
      // Sources within an unreachable source are not reported again.
      situation.isSatisfied = false;
    }
    this.#checkKind(source);
    if (isUnreachable) situation.isSatisfied = true;
  }

  /** Checks a cap or a limit, which must be an amount of the sent asset. */
  checkAmount(expression: Expression): void {
    const node = this.#expressions.check(expression, "monetary");
    this.#asset = this.#state.assets.unify(this.#asset, node, expression.range);
  }

  #checkKind(source: Source): void {
    switch (source.kind) {
      case "account":
        return this.#checkAccount(source);
      case "max":
        this.checkAmount(source.cap);
        return this.#checkApart(source.source);
      case "inOrder":
        return this.#checkInOrder(source.sources);
      case "oneOf":
        return this.#checkOneOf(source);
      case "allotment":
        if (this.#situation.sendsAll) this.#tell("send-all-allotment", source.range);
        checkAllotment(source, this.#state, this.#expressions);
        for (const branch of source.branches) this.#checkApart(branch.source);
        return;
      case "scaling":
        this.#state.report.feature(FEATURES.assetScaling, source.range);
        this.#expressions.checkAccount(source.account, "source");
        this.#expressions.checkAccount(source.through, "destination", "source");
        return;
    }
  }

  #checkInOrder(sources: readonly Source[]): void {
    const { isMachine, report } = this.#state;
    for (let index = 0; index < sources.length; index++) {
      const source = sources[index];
      if (source === undefined) continue;
      this.check(source);
      if (!isMachine || index === sources.length - 1 || !this.#situation.isSatisfied) continue;
      this.#situation.isSatisfied = false;
      const message = "an unbounded subsource can only be in last position";
      report.error("unreachable-source", message, source.range);
    }
  }

  /** Checks `oneof`. Only one of its sources is used, so that none of them empties an account for another. */
  #checkOneOf({ sources, range }: Extract<Source, { kind: "oneOf" }>): void {
    const feature = FEATURES.oneOf;
    this.#state.report.feature(feature, range);
    this.#state.versions.require({ version: [0, 0, 15], feature }, range);
    for (const source of sources) {
      const mark = this.#trail.length;
      this.check(source);
      this.#forget(mark);
    }
  }

  /** Checks a source that gives an amount of its own. For the machine, accounts that were emptied before do not count in it. */
  #checkApart(source: Source): void {
    const outer = this.#situation;
    const emptied = this.#emptied;
    const mark = this.#trail.length;
    if (this.#state.isMachine) this.#emptied = new Set();
    this.#situation = { sendsAll: false, isSatisfied: false };
    this.check(source);
    this.#forget(mark);
    this.#situation = outer;
    this.#emptied = emptied;
  }

  #forget(mark: number): void {
    while (this.#trail.length > mark) this.#emptied.delete(this.#trail.pop() ?? "");
  }

  #checkAccount(source: AccountSource): void {
    const { account, color, overdraft } = source;
    this.#expressions.checkAccount(account, "source");
    if (color !== undefined) {
      this.#state.report.feature(FEATURES.assetColors, color.range);
      this.#expressions.check(color, "string");
    }
    if (overdraft?.kind === "upTo") this.checkAmount(overdraft.limit);
    const address = literalAccount(account);
    const isWorld = address === WORLD;
    if (isWorld && overdraft !== undefined) {
      this.#tell("overdraft-on-world", this.#state.isMachine ? overdraft.range : account.range);
    }
    this.#checkEmptied(source, address);
    if (!isWorld && overdraft?.kind !== "unbounded") return;
    if (this.#situation.sendsAll) this.#tell("send-all-unbounded", account.range);
    this.#situation.isSatisfied = true;
  }

  /** Reports an account that was emptied before. Accounts are equal if their texts are: variables may name the same account. */
  #checkEmptied({ account, color, overdraft }: AccountSource, address: string | undefined): void {
    const { isMachine, report } = this.#state;
    if (address === WORLD) return;
    let written = address === undefined ? undefined : `@${address}`;
    if (isMachine) {
      if (account.kind === "variable") written = `$${account.name}`;
    } else if (overdraft !== undefined) {
      return;
    }
    const key = written === undefined ? undefined : withColor(written, color);
    if (written === undefined || key === undefined) return;
    if (!this.#emptied.has(key)) {
      this.#emptied.add(key);
      this.#trail.push(key);
    } else if (isMachine) {
      const message = `${shown(written)} is already empty at this stage`;
      report.error("emptied-account", message, account.range);
    } else {
      const message = `${shown(written)} is already empty at this point`;
      report.warn("emptied-account", message, account.range);
    }
  }

  #tell(code: keyof typeof TEXTS, range: Range): void {
    const { report, isMachine } = this.#state;
    const { severity, interpreter, machine } = TEXTS[code];
    if (isMachine) report.error(code, machine, range);
    else report.add({ code, severity, message: interpreter, range });
  }
}

/** Messages about findings that are errors for the machine. For the interpreter, they have the given severity. */
const TEXTS = {
  "overdraft-on-world": {
    severity: "warning",
    interpreter: "@world is already set to be overdraft",
    machine: "@world is already set to an unbounded overdraft",
  },
  "send-all-allotment": {
    severity: "warning",
    interpreter: "Cannot take all balance of an allotment source",
    machine: "cannot take all balance of an allotment source",
  },
  "send-all-unbounded": {
    severity: "error",
    interpreter: "Cannot take all balance of an unbounded source",
    machine: "cannot take all balance of an unbounded source",
  },
} as const satisfies Partial<
  Record<DiagnosticCode, { severity: "error" | "warning"; interpreter: string; machine: string }>
>;

/** An account with the color of its money, which is separate from money of other colors; undefined if the color is computed. */
function withColor(account: string, color: Expression | undefined): string | undefined {
  if (color === undefined) return account;
  if (color.kind === "variable") return `${account} \\ $${color.name}`;
  if (color.kind !== "string") return undefined;
  const name = unquoted(color.literal);
  return name === "" ? account : `${account} \\ "${name}"`;
}
