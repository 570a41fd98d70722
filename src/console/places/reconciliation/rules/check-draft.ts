import { locale } from "#console/parts/language/words.ts";
import { parseAsset } from "#console/parts/money/asset.ts";
import { numberSignsOf, toUnits } from "#console/parts/money/parse-amount.ts";
import {
  accountsText,
  amountText,
  type AssetLimit,
  type CheckKind,
  type CheckSource,
  type CheckSpec,
  queryOf,
} from "#console/places/reconciliation/checks/spec.ts";
import type { Integer } from "#openapi";
import { parseJson } from "#platform/json.ts";

/** A source as the form has it: the fields of both kinds, of which the chosen kind counts. */
export interface SourceDraft {
  readonly kind: CheckSource["kind"];
  readonly ledger: string;
  readonly accounts: string;
  readonly poolId: string;
  readonly sign: "1" | "-1";
}

/** What is allowed of an asset, as the person types it, in the asset's unit. */
export interface LimitDraft {
  readonly asset: string;
  readonly tolerance: string;
  readonly min: string;
  readonly max: string;
}

/** The check of a rule as the form has it. */
export interface CheckDraft {
  readonly kind: CheckKind;
  readonly sources: readonly SourceDraft[];
  readonly isPerAccount: boolean;
  readonly limits: readonly LimitDraft[];
}

export const NO_LIMIT: LimitDraft = { asset: "", tolerance: "", min: "", max: "" };
const ACCOUNTS: SourceDraft = { kind: "ledger", ledger: "", accounts: "", poolId: "", sign: "1" };
const POOL: SourceDraft = { ...ACCOUNTS, kind: "pool" };

/** Most sets of accounts that a check adds up. */
export const TERMS_MAX = 20;

/** What the form of each kind begins with. */
export const BEGINNINGS: Readonly<Record<CheckKind, Omit<CheckDraft, "kind">>> = {
  ledger_vs_pool_drift: { sources: [ACCOUNTS, POOL], isPerAccount: false, limits: [] },
  ledger_invariant: {
    sources: [ACCOUNTS, { ...ACCOUNTS, sign: "-1" }],
    isPerAccount: false,
    limits: [NO_LIMIT],
  },
  account_threshold: { sources: [ACCOUNTS], isPerAccount: true, limits: [NO_LIMIT] },
  source_parity: { sources: [ACCOUNTS, ACCOUNTS], isPerAccount: false, limits: [] },
};

/** A draft of another kind, which keeps what both kinds have. */
export function withKind(draft: CheckDraft, kind: CheckKind): CheckDraft {
  const beginning = BEGINNINGS[kind];
  const sources = beginning.sources.map((fresh, place) => {
    const before = draft.sources[place];
    return before?.kind === fresh.kind ? { ...before, sign: fresh.sign } : fresh;
  });
  return { ...beginning, kind, sources };
}

export const newTerm = (): SourceDraft => ACCOUNTS;

/** Whether a check may look at each account by itself. */
export const canBePerAccount = ({ kind, sources }: CheckDraft): boolean =>
  kind === "account_threshold" ||
  (kind === "source_parity" && sources.every((source) => source.kind === "ledger"));

const SIGNS = numberSignsOf(locale);

/** The integer of an amount that was typed, which may be negative; undefined for a text that is none. */
export const unitsOf = (text: string, asset: string): bigint | undefined =>
  toUnits(text, parseAsset(asset).scale, SIGNS);

/** The form's draft of a check that is stored. */
export const draftOf = ({ kind, sources, isPerAccount, limits }: CheckSpec): CheckDraft => ({
  kind,
  sources: sources.map((source) =>
    source.kind === "ledger"
      ? {
          ...ACCOUNTS,
          ledger: source.ledger,
          accounts: accountsText(source.query),
          sign: source.sign === 1 ? "1" : "-1",
        }
      : { ...POOL, poolId: source.poolId },
  ),
  isPerAccount,
  limits: limits.map(limitDraftOf),
});

function limitDraftOf({ asset, tolerance, min, max }: AssetLimit): LimitDraft {
  const show = (amount: Integer | undefined): string =>
    amount === undefined ? "" : amountText(amount, asset, SIGNS.decimal);
  return { asset, tolerance: show(tolerance), min: show(min), max: show(max) };
}

/** The specification of the API for a draft whose fields fit. */
export function specificationOf(draft: CheckDraft): Readonly<Record<string, unknown>> {
  const { kind, sources, limits } = draft;
  const [one, other] = sources;
  const isPerAccount = draft.isPerAccount && canBePerAccount(draft);
  const tolerance = { tolerance: byAsset(limits, tolerancesIn) };
  switch (kind) {
    case "ledger_vs_pool_drift":
      return {
        ledger: one?.ledger,
        ledgerQuery: queryIn(one),
        ...(one?.sign === "-1" ? { ledgerSign: -1 } : {}),
        paymentsPoolID: other?.poolId,
        ...(limits.length === 0 ? {} : tolerance),
      };
    case "ledger_invariant":
      return {
        terms: sources.map((source) => ({
          ledger: source.ledger,
          query: queryIn(source),
          sign: Number(source.sign),
        })),
        ...tolerance,
      };
    case "account_threshold":
      return {
        ledger: one?.ledger,
        query: queryIn(one),
        mode: isPerAccount ? "per_account" : "aggregate",
        bounds: byAsset(limits, boundsIn),
      };
    case "source_parity":
      return {
        left: sideOf(one),
        right: sideOf(other),
        scope: isPerAccount ? "per_account" : "aggregate",
        ...(limits.length === 0 ? {} : tolerance),
      };
  }
}

const queryIn = (source: SourceDraft | undefined) => queryOf(source?.accounts ?? "", parseJson);

const sideOf = (source: SourceDraft | undefined) =>
  source?.kind === "pool"
    ? { kind: "payments_pool", poolID: source.poolId }
    : { kind: "ledger", ledger: source?.ledger, query: queryIn(source) };

const byAsset = <Value>(limits: readonly LimitDraft[], valueOf: (limit: LimitDraft) => Value) =>
  Object.fromEntries(limits.map((limit) => [limit.asset, valueOf(limit)]));

const tolerancesIn = ({ asset, tolerance }: LimitDraft): bigint | undefined =>
  tolerance === "" ? 0n : unitsOf(tolerance, asset);

const boundsIn = ({ asset, min, max }: LimitDraft) => ({
  ...(min === "" ? {} : { min: unitsOf(min, asset) }),
  ...(max === "" ? {} : { max: unitsOf(max, asset) }),
});
