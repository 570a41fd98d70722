import { balancesByAccount } from "#modules/reconciliation/balances/by-account.ts";
import { balancesOfPool, ledgerBalances } from "#modules/reconciliation/balances/read.ts";
import {
  type BalanceSource,
  type CheckOutcome,
  labelOf,
  type Reading,
  sourceKeys,
  type Template,
  WHOLE,
} from "#modules/reconciliation/core/templates/template.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import type { Timestamp } from "#platform/time.ts";
import { ownDeadline } from "#platform/work/deadline.ts";

/** Longest time of reading and comparing, in milliseconds. */
export const EVALUATION_MS_MAX = 20_000;
/** Most failing outcomes of one evaluation: each has an alert and an event, which one batch stores. */
export const FAILING_MAX = 400;
/** Most passing outcomes of a rule by account that an evaluation keeps; the rest is counted. */
export const PROOFS_MAX = 100;

/** The moments as of which sources are read. */
export interface Moments {
  /** The moment of ledgers, and of sources without a moment of their own. */
  readonly at: Timestamp;
  /** Whether pools are read as of now, so that the newest balances count. */
  readonly arePoolsLatest: boolean;
  /** The moments of single sources, by their keys. */
  readonly bySource: ReadonlyMap<string, Timestamp>;
}

/** What an evaluation has found, or why it has found nothing. */
export type Findings = {
  /** The moments as of which sources were read, by their keys. */
  readonly moments: Readonly<Record<string, Timestamp>>;
  readonly costUnits: number;
} & (
  | { readonly kind: "outcomes"; readonly outcomes: readonly CheckOutcome[] }
  | { readonly kind: "error"; readonly error: string }
);

/**
 * Reads the sources of a check and compares them, in the name of the principal of the context and for at most `EVALUATION_MS_MAX`. Never
 * throws: a failure is a finding.
 */
export async function computeFindings(
  context: ServiceContext,
  template: Template,
  moments: Moments,
): Promise<Findings> {
  const read = new SourceReads(context, template, moments);
  const late = new Error(`the evaluation took longer than ${EVALUATION_MS_MAX / 1000} seconds`);
  let giveUp: (error: Error) => void = () => undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  const deadline = ownDeadline(EVALUATION_MS_MAX, () => giveUp(late));
  try {
    const readings = await Promise.race([read.all(deadline.signal), expired]);
    const outcomes = keptOutcomes(template, readings);
    return { kind: "outcomes", outcomes, ...read.facts };
  } catch (error) {
    return {
      kind: "error",
      error: error === late ? late.message : errorText(error),
      ...read.facts,
    };
  } finally {
    deadline.end();
  }
}

/** The text of a failure for people. The text of an unexpected error may hold SQL. */
export function errorText(error: unknown): string {
  if (error instanceof AppError) return error.message;
  logError("an evaluation of a rule failed", error);
  return "an unexpected error, which is in the log of the server";
}

/** The reads of the sources of one check. */
class SourceReads {
  readonly #context: ServiceContext;
  readonly #template: Template;
  readonly #moments: Moments;
  readonly #read = new Map<string, Timestamp>();

  constructor(context: ServiceContext, template: Template, moments: Moments) {
    this.#context = context;
    this.#template = template;
    this.#moments = moments;
  }

  get facts(): Pick<Findings, "moments" | "costUnits"> {
    return { moments: Object.fromEntries(this.#read), costUnits: this.#read.size };
  }

  all(signal: AbortSignal): Promise<readonly Reading[]> {
    const { sources } = this.#template;
    const keys = sourceKeys(sources);
    return Promise.all(
      sources.map(async (source, index) => {
        try {
          return await this.#one(source, keys[index] ?? "", signal);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          throw new AppError(error.kind, `${labelOf(source)}: ${error.message}`, { cause: error });
        }
      }),
    );
  }

  async #one(source: BalanceSource, key: string, signal: AbortSignal): Promise<Reading> {
    const { at, arePoolsLatest, bySource } = this.#moments;
    const own = bySource.get(key);
    if (source.kind === "pool") {
      const moment = own ?? (arePoolsLatest ? undefined : at);
      const balances = await balancesOfPool(this.#context, source.poolId, moment);
      this.#read.set(key, moment ?? this.#context.clock());
      return new Map([[WHOLE, balances]]);
    }
    const moment = own ?? at;
    const reading = this.#template.isPerAccount
      ? await balancesByAccount(this.#context, source, { at: moment, signal })
      : new Map([[WHOLE, await ledgerBalances(this.#context, source, moment)]]);
    this.#read.set(key, moment);
    return reading;
  }
}

/** The outcomes that an evaluation keeps. Throws `VALIDATION` for more failing ones than one evaluation may have. */
function keptOutcomes(template: Template, readings: readonly Reading[]): CheckOutcome[] {
  const kept: CheckOutcome[] = [];
  let failing = 0;
  let passing = 0;
  for (const outcome of template.outcomes(readings)) {
    if (outcome.passed) passing++;
    else failing++;
    const isKept = !outcome.passed || !template.isPerAccount || passing <= PROOFS_MAX;
    if (isKept && failing <= FAILING_MAX) kept.push(outcome);
  }
  if (failing > FAILING_MAX) {
    throw new AppError(
      "VALIDATION",
      `${failing} checks fail, and one evaluation has at most ${FAILING_MAX} alerts; narrow the query, or check the accounts together`,
    );
  }
  const others = template.isPerAccount ? passing - PROOFS_MAX : 0;
  if (others > 0) {
    kept.push({ fingerprint: "others", passed: true, proof: { passed: String(others) } });
  }
  return kept;
}
