import { checkAllotment } from "./allotments.ts";
import { AssetInference, NO_ASSET } from "./assets.ts";
import type { CheckedType } from "./builtins.ts";
import { type CheckReport, ReportBuilder, shown } from "./report.ts";
import { SourceCheck } from "./sources.ts";
import { type CheckState, ExpressionCheck } from "./types.ts";
import { typeNamed, VariableTable } from "./variables.ts";
import { VersionCheck } from "./versions.ts";
import { FEATURES, isFeature } from "#numscript/features.ts";
import { checkMachine } from "#numscript/machine/check.ts";
import type {
  Destination,
  KeptOrDestination,
  Program,
  Runtime,
  SaveStatement,
  SendStatement,
  Statement,
  VariableDeclaration,
} from "#numscript/syntax/ast.ts";
import { ScriptError } from "#numscript/syntax/diagnostics.ts";
import { parseProgram } from "#numscript/syntax/parser.ts";

export type * from "./report.ts";

/**
 * Checks a script before it runs. The report has errors, warnings, and data for editors. Parts that cannot be parsed are
 * reported, and the other parts are checked nevertheless. It never throws.
 */
export function checkScript(source: string, runtime: Runtime): CheckReport {
  const { program, comments, diagnostics } = parseProgram(source, runtime);
  const isBroken = diagnostics.length > 0;
  const isMachine = runtime === "machine";
  const report = new ReportBuilder();
  for (const diagnostic of diagnostics) report.add(diagnostic);
  const state: CheckState = {
    isMachine,
    report,
    variables: new VariableTable(isBroken ? source : undefined),
    assets: new AssetInference(report),
    versions: new VersionCheck(isMachine ? [] : comments, report),
  };
  new ScriptCheck(state).check(program);
  if (isMachine && !isBroken) compile(program, report);
  const features = new Set(program.features.map(({ name }) => name));
  return report.build(state.variables.build(), features);
}

/** Makes the check of the machine's compiler, which reports only the first error. */
function compile(program: Program, report: ReportBuilder): void {
  try {
    checkMachine(program);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    report.replace(error.diagnostic);
  }
}

class ScriptCheck {
  readonly #state: CheckState;
  readonly #expressions: ExpressionCheck;

  constructor(state: CheckState) {
    this.#state = state;
    this.#expressions = new ExpressionCheck(state);
  }

  check({ features, variables, statements }: Program): void {
    const { report } = this.#state;
    for (const { name, range } of features) {
      if (!isFeature(name))
        report.error("unknown-feature", `Unknown feature: ${shown(name)}`, range);
    }
    for (const variable of variables) this.#declare(variable);
    for (const statement of statements) this.#checkStatement(statement);
    this.#warnOfVariables();
  }

  /** Declares a variable. Its origin, in which it is not declared yet, is checked first. */
  #declare(declaration: VariableDeclaration): void {
    const { report, variables, assets } = this.#state;
    const { name, nameRange, type: written, typeRange, origin } = declaration;
    const type = typeNamed(written);
    if (type === undefined) {
      const message = `'${shown(written)}' is not a valid type. Allowed types are: monetary, account, portion, asset, number, string`;
      report.error("invalid-type", message, typeRange);
    }
    const node =
      origin === undefined ? NO_ASSET : this.#expressions.checkOrigin(origin, type ?? "any");
    const { variable, isFirst } = variables.declare(declaration);
    report.hovers.push({ range: nameRange, contents: variable.hover });
    if (isFirst) {
      assets.declare(name, type ?? "any", node);
      return;
    }
    const message = `A variable with the name '$${shown(name)}' was already declared`;
    report.error("duplicate-variable", message, nameRange);
  }

  #checkStatement(statement: Statement): void {
    switch (statement.kind) {
      case "send":
        return this.#checkSend(statement);
      case "save":
        return this.#checkSave(statement);
      case "call":
        return this.#expressions.checkStatementCall(statement.call);
      case "print":
        this.#expressions.check(statement.expression, "any");
        return;
      case "fail":
        return;
    }
  }

  #checkSend({ amount, source, destination }: SendStatement): void {
    const sendsAll = amount.kind === "all";
    const asset = sendsAll
      ? this.#expressions.check(amount.asset, "asset")
      : this.#expressions.check(amount.expression, "monetary");
    const sources = new SourceCheck(this.#state, this.#expressions, { asset, sendsAll });
    sources.check(source);
    this.#checkDestination(destination, sources);
  }

  #checkSave({ amount, account }: SaveStatement): void {
    if (amount.kind === "all") this.#expressions.check(amount.asset, "asset");
    else this.#expressions.check(amount.expression, "monetary");
    this.#expressions.checkAccount(account, "save");
  }

  #checkDestination(destination: Destination, sources: SourceCheck): void {
    switch (destination.kind) {
      case "account":
        return this.#expressions.checkAccount(destination.account, "destination");
      case "oneOf":
      case "inOrder":
        if (destination.kind === "oneOf") {
          const feature = FEATURES.oneOf;
          this.#state.report.feature(feature, destination.range);
          this.#state.versions.require({ version: [0, 0, 15], feature }, destination.range);
        }
        for (const { cap, target } of destination.clauses) {
          sources.checkAmount(cap);
          this.#checkKeptOrDestination(target, sources);
        }
        return this.#checkKeptOrDestination(destination.remaining, sources);
      case "allotment":
        checkAllotment(destination, this.#state, this.#expressions);
        for (const { target } of destination.branches)
          this.#checkKeptOrDestination(target, sources);
        return;
    }
  }

  #checkKeptOrDestination(target: KeptOrDestination, sources: SourceCheck): void {
    if (target.kind === "to") this.#checkDestination(target.destination, sources);
  }

  /** Warns of unused variables, and of variables whose asset is always the same. */
  #warnOfVariables(): void {
    const { report, variables, assets } = this.#state;
    const knowsAssets = !this.#expressions.hasMismatch && !assets.hasMismatch;
    for (const variable of variables.all) {
      const { name, nameRange, origin } = variable.declaration;
      if (variables.find(name) !== variable) continue;
      if (variable.references.length === 0) {
        if (variables.mayBeUsed(name)) continue;
        const message = `The variable '$${shown(name)}' is never used`;
        report.warn("unused-variable", message, nameRange);
      }
      if (!knowsAssets || origin !== undefined) continue;
      const asset = assets.assetOf(name);
      if (asset === undefined) continue;
      const message = inferredAssetText(variable.type, asset);
      if (message !== undefined) report.warn("inferred-asset", message, nameRange);
    }
  }
}

/** The hint that a variable, or the asset of a variable, can have only one value; undefined for other types. */
function inferredAssetText(type: CheckedType, asset: string): string | undefined {
  const name = shown(asset);
  if (type === "asset") {
    return `This asset is inferred to be '${name}'. Receiving a different asset will cause a runtime error.\nYou may want to remove this variable and use the hardcoded value instead.`;
  }
  if (type === "monetary") {
    return `This monetary is inferred to always have asset '${name}'. Receiving a monetary of different asset will cause a runtime error.\nYou may want to use a variable of type number instead.`;
  }
  return undefined;
}
