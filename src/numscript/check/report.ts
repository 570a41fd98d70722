import { DIAGNOSTICS_MAX } from "#numscript/limits.ts";
import type { Diagnostic, DiagnosticCode } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";

/** What an editor shows of a script: plain data, all of it with places. */
export interface CheckReport {
  /** By place. Where there are more than `CHECK_DIAGNOSTICS_MAX`, errors are kept before warnings. */
  readonly diagnostics: readonly PlacedDiagnostic[];
  /** Every declaration, in order. */
  readonly variables: readonly VariableSymbol[];
  /** Names that are used and not declared, for an editor that offers to declare them. */
  readonly undeclaredVariables: readonly UndeclaredVariable[];
  /** By place. They do not overlap. */
  readonly hovers: readonly Hover[];
  /** Accounts written out that the script touches, in order of first appearance. */
  readonly accounts: readonly AccountUse[];
  /** Assets written out, in order of first appearance. */
  readonly assets: readonly AssetUse[];
  /** Feature flags without which the interpreter refuses what the script does. */
  readonly features: readonly FeatureUse[];
  /** What a caller must give: the declared type of each variable without origin, by name without `$`. */
  readonly neededVariables: Readonly<Record<string, string>>;
}

export type PlacedDiagnostic = Diagnostic & { readonly range: Range };

export interface VariableSymbol {
  /** Without `$`. */
  readonly name: string;
  /** As declared, which may be no type. */
  readonly type: string;
  /** Of the name, with `$`. */
  readonly range: Range;
  readonly typeRange: Range;
  readonly hasOrigin: boolean;
  readonly isUsed: boolean;
  /** Uses, not the declaration. Those of a name that is declared twice belong to its first declaration. */
  readonly references: readonly Range[];
}

export interface UndeclaredVariable {
  /** Without `$`. */
  readonly name: string;
  /** What its first use wants, `undefined` where that takes anything. */
  readonly type: string | undefined;
  readonly ranges: readonly Range[];
}

export interface Hover {
  readonly range: Range;
  /** Markdown. */
  readonly contents: string;
}

/** What a script does with an account: it takes money, gives money, reads or writes metadata, reads or saves a balance. */
export type AccountRole = "source" | "destination" | "metadata" | "balance" | "save";

export interface AccountUse {
  /** Without `@`. */
  readonly address: string;
  /** In order of first appearance. */
  readonly roles: readonly AccountRole[];
  readonly ranges: readonly Range[];
}

export interface AssetUse {
  readonly asset: string;
  readonly ranges: readonly Range[];
}

export interface FeatureUse {
  readonly name: string;
  /** The script's own feature line switches it on. */
  readonly isDeclared: boolean;
  /** What needs it. */
  readonly ranges: readonly Range[];
}

/** Most diagnostics that an editor is given. */
export const CHECK_DIAGNOSTICS_MAX = DIAGNOSTICS_MAX * 10;
/** Longest part of a name that a text repeats: a long one would be repeated for each of its uses. */
const SHOWN_LENGTH_MAX = 200;

export const shown = (name: string): string =>
  name.length > SHOWN_LENGTH_MAX ? `${name.slice(0, SHOWN_LENGTH_MAX)}…` : name;

/** Collects what is found in a script, in whatever order. */
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

  /** Adds an error in place of those that tell of the same problem: those at its place, else those that overlap it. */
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

/** What is about the whole script stands at its beginning. */
const placed = (diagnostic: Diagnostic): PlacedDiagnostic => ({
  ...diagnostic,
  // Tokens are ranges, too: nothing else of them belongs into a report.
  range: { start: diagnostic.range?.start ?? 0, end: diagnostic.range?.end ?? 0 },
});

const byPlace = ({ range: a }: { range: Range }, { range: b }: { range: Range }): number =>
  a.start - b.start || a.end - b.end;

const overlaps = (a: Range, b: Range): boolean => a.start < b.end && b.start < a.end;
