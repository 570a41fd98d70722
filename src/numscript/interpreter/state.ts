import { Balances } from "./balances.ts";
import { type FeatureFlag, isFeature } from "#numscript/features.ts";
import { NUMBER_DIGITS_MAX } from "#numscript/limits.ts";
import { type DiagnosticCode, ScriptError } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";
import type { Environment, Output, RunInput, ScriptPosting } from "#numscript/values/run.ts";
import { ASSET_PATTERN } from "#numscript/values/values.ts";

/** The state that the parts of a run share. */
export class RunState {
  readonly output: Output;
  readonly environment: Environment = new Map();
  readonly input: RunInput;
  readonly balances: Balances;
  /** Whether variables are still bound: functions in their origins need no feature flag, functions in statements do. */
  isBindingVariables = true;
  readonly #features: Set<string>;
  /** The part of the script that made each posting, by the index of the posting. */
  readonly #places: Range[] = [];

  constructor(input: RunInput, output: Output) {
    this.input = input;
    this.output = output;
    this.balances = new Balances(input.reader, this.output);
    this.#features = new Set(input.featureFlags);
  }

  /** Enables a feature that the script asks for. */
  enable(name: string, range: Range): void {
    if (!isFeature(name)) fail("unknown-feature", `Invalid feature: ${name}`, range);
    this.#features.add(name);
  }

  has(feature: FeatureFlag): boolean {
    return this.#features.has(feature);
  }

  require(feature: FeatureFlag, range: Range): void {
    if (this.has(feature)) return;
    const message = `this feature is experimental. You need the '${feature}' feature flag to enable it`;
    fail("experimental-feature", message, range);
  }

  post(posting: ScriptPosting, place: Range): void {
    this.output.post(posting);
    this.#places.push(place);
  }

  /**
   * Checks the assets of all postings, which may have a form that no ledger accepts. It must be called last, so that other
   * errors are reported first. Accounts were checked before, and amounts are positive.
   */
  assertPostings(): void {
    const valid = new Set<string>();
    for (const [index, posting] of this.output.postings.entries()) {
      const { source, destination, amount, asset } = posting;
      if (valid.has(asset)) continue;
      if (!ASSET_PATTERN.test(asset)) {
        const shown = `{${source} ${destination} ${amount} ${asset}}`;
        const message = `The script produced a posting with invalid values: ${shown}`;
        fail("invalid-posting", message, this.#places[index]);
      }
      valid.add(asset);
    }
  }
}

/** Throws an error of the script in a run. */
export function fail(code: DiagnosticCode, message: string, range?: Range): never {
  throw new ScriptError("runtime", code, { message, range });
}

/** Returns an integer. Throws "limit-exceeded" if it has more than `NUMBER_DIGITS_MAX` digits. */
export function bounded(value: bigint, range: Range): bigint {
  if (value < NUMBER_LIMIT && value > -NUMBER_LIMIT) return value;
  return fail("limit-exceeded", `a number has at most ${NUMBER_DIGITS_MAX} digits`, range);
}

const NUMBER_LIMIT = 10n ** BigInt(NUMBER_DIGITS_MAX);
