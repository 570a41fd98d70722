import { DIAGNOSTICS_MAX } from "#numscript/limits.ts";
import type { Diagnostic, DiagnosticCode } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";

/** The report about a script, for editors: plain data with positions. */
export interface CheckReport {
  /**
   * The diagnostics by position. If there are more than `CHECK_DIAGNOSTICS_MAX`, errors are kept rather than warnings.
   */
  readonly diagnostics: readonly PlacedDiagnostic[];
  /** All declarations of variables, in the order of the script. */
  readonly variables: readonly VariableSymbol[];
  /** Names that are used but not declared, which an editor can offer to declare. */
  readonly undeclaredVariables: readonly UndeclaredVariable[];
  /** The hovers by position. They do not overlap. */
  readonly hovers: readonly Hover[];
  /** The account literals of the script, in order of first appearance. */
  readonly accounts: readonly AccountUse[];
  /** The asset literals of the script, in order of first appearance. */
  readonly assets: readonly AssetUse[];
  /** The feature flags without which the interpreter refuses the script. */
  readonly features: readonly FeatureUse[];
  /**
   * The variables that a caller must give: the declared type of each variable without an origin, by name without `$`.
   */
  readonly neededVariables: Readonly<Record<string, string>>;
}

export type PlacedDiagnostic = Diagnostic & { readonly range: Range };

export interface VariableSymbol {
  /** The name without `$`. */
  readonly name: string;
  /** The text of the type, which need not be a valid type. */
  readonly type: string;
  /** The range of the name, with `$`. */
  readonly range: Range;
  readonly typeRange: Range;
  readonly hasOrigin: boolean;
  readonly isUsed: boolean;
  /** The uses, without the declaration. If a name is declared twice, its uses belong to the first declaration. */
  readonly references: readonly Range[];
}

export interface UndeclaredVariable {
  /** The name without `$`. */
  readonly name: string;
  /** The type that the first use requires; undefined if the use accepts any type. */
  readonly type: string | undefined;
  readonly ranges: readonly Range[];
}

export interface Hover {
  readonly range: Range;
  /** The text in Markdown. */
  readonly contents: string;
}

/**
 * The use of an account in a script: it gives or gets money, its metadata is read or written, its balance is read or
 * saved.
 */
export type AccountRole = "source" | "destination" | "metadata" | "balance" | "save";

export interface AccountUse {
  /** The address without `@`. */
  readonly address: string;
  /** The roles in order of first appearance. */
  readonly roles: readonly AccountRole[];
  readonly ranges: readonly Range[];
}

export interface AssetUse {
  readonly asset: string;
  readonly ranges: readonly Range[];
}

export interface FeatureUse {
  readonly name: string;
  /** Whether the script's own line of features enables the feature. */
  readonly isDeclared: boolean;
  /** The parts of the script that need the feature. */
  readonly ranges: readonly Range[];
}

/** The most diagnostics of a report. */
export const CHECK_DIAGNOSTICS_MAX = DIAGNOSTICS_MAX * 10;
/** Longest part of a name that a message repeats, in characters. A long name may have many uses, each with a message. */
const SHOWN_LENGTH_MAX = 200;

export const shown = (name: string): string =>
  name.length > SHOWN_LENGTH_MAX ? `${name.slice(0, SHOWN_LENGTH_MAX)}…` : name;

/** Collects findings about a script, in any order. */
export class ReportBuilder {
  readonly hovers: Hover[] = [];
  readonly #errors: PlacedDiagnostic[] = [];
  readonly #warnings: PlacedDiagnostic[] = [];
  readonly #undeclared = new Map<string, UndeclaredVariable & { ranges: Range[] }>();
  readonly #accounts = new Map<string, AccountUse & { roles: AccountRole[]; ranges: Range[] }>();
  readonly #assets = new Map<string, AssetUse & { ranges: Range[] }>();
  readonly #features = new Map<string, Range[]>();

  error(code: DiagnosticCode, message: string, range: Range): void {
    this.add({ code, severity: "error", message, range });
  }

  warn(code: DiagnosticCode, message: string, range: Range): void {
    this.add({ code, severity: "warning", message, range });
  }

  add(diagnostic: Diagnostic): void {
    const diagnostics = diagnostic.severity === "error" ? this.#errors : this.#warnings;
    if (diagnostics.length < CHECK_DIAGNOSTICS_MAX) diagnostics.push(placed(diagnostic));
  }

  /** Adds an error, and removes errors with its code at the same range or, if there are none, at overlapping ranges. */
  replace(diagnostic: Diagnostic): void {
    const { code, range } = placed(diagnostic);
    const same = this.#errors.filter(
      (error) => error.code === code && overlaps(error.range, range),
    );
    const exact = same.filter(
      ({ range: { start, end } }) => start === range.start && end === range.end,
    );
    const replaced = new Set(exact.length > 0 ? exact : same);
    const kept = this.#errors.filter((error) => !replaced.has(error));
    this.#errors.splice(0, this.#errors.length, placed(diagnostic), ...kept);
  }

  undeclared(name: string, type: string | undefined, range: Range): void {
    const use = this.#undeclared.get(name);
    if (use === undefined) this.#undeclared.set(name, { name, type, ranges: [range] });
    else use.ranges.push(range);
  }

  account(address: string, role: AccountRole, range: Range): void {
    const use = this.#accounts.get(address);
    if (use === undefined) {
      this.#accounts.set(address, { address, roles: [role], ranges: [range] });
      return;
    }
    if (!use.roles.includes(role)) use.roles.push(role);
    if (use.ranges.at(-1) !== range) use.ranges.push(range);
  }

  asset(asset: string, range: Range): void {
    const use = this.#assets.get(asset);
    if (use === undefined) this.#assets.set(asset, { asset, ranges: [range] });
    else use.ranges.push(range);
  }

  feature(name: string, range: Range): void {
    const ranges = this.#features.get(name);
    if (ranges === undefined) this.#features.set(name, [range]);
    else ranges.push(range);
  }

  build(
    variables: Pick<CheckReport, "variables" | "neededVariables">,
    declaredFeatures: ReadonlySet<string>,
  ): CheckReport {
    const warnings = this.#warnings.slice(0, CHECK_DIAGNOSTICS_MAX - this.#errors.length);
    return {
      diagnostics: [...this.#errors.slice(0, CHECK_DIAGNOSTICS_MAX), ...warnings].toSorted(byPlace),
      ...variables,
      undeclaredVariables: [...this.#undeclared.values()],
      hovers: this.hovers.toSorted(byPlace),
      accounts: [...this.#accounts.values()],
      assets: [...this.#assets.values()],
      features: [...this.#features].map(([name, ranges]) => ({
        name,
        isDeclared: declaredFeatures.has(name),
        ranges,
      })),
    };
  }
}

/** A diagnostic about the whole script is placed at its beginning. */
const placed = (diagnostic: Diagnostic): PlacedDiagnostic => ({
  ...diagnostic,
  // A range may be a token, whose other fields don't belong in a report.
  range: { start: diagnostic.range?.start ?? 0, end: diagnostic.range?.end ?? 0 },
});

const byPlace = ({ range: a }: { range: Range }, { range: b }: { range: Range }): number =>
  a.start - b.start || a.end - b.end;

const overlaps = (a: Range, b: Range): boolean => a.start < b.end && b.start < a.end;
