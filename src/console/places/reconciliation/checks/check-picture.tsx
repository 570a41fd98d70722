import { type ReactNode } from "react";
import { accountsText, type AssetLimit, type CheckSource, type CheckSpec } from "./spec.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount } from "#console/parts/money/asset.ts";
import { LedgerLink, PoolLink } from "#console/places/reconciliation/common/names.tsx";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** What a check compares, as an equation of its sources, and what is allowed of each asset. */
export function CheckPicture({ spec }: { readonly spec: CheckSpec }) {
  const words = reconciliationWords();
  const { kind, limits, isPerAccount } = spec;
  return (
    <div className="space-y-3">
      <p className="text-muted">{words.kindMeaning[kind]}</p>
      <Equation spec={spec} />
      {(kind === "account_threshold" || isPerAccount) && (
        <p className="text-muted">{isPerAccount ? words.compare.each : words.compare.together}</p>
      )}
      {limits.length > 0 && (
        <Facts>
          {limits.map((limit) => (
            <Fact key={limit.asset} name={limit.asset}>
              {limitText(limit)}
            </Fact>
          ))}
        </Facts>
      )}
    </div>
  );
}

/** The sources in their order, with the signs between them. */
function Equation({ spec: { kind, sources } }: { readonly spec: CheckSpec }) {
  const isEqual = kind === "source_parity";
  return (
    <ul
      aria-label={reconciliationWords().compare.equation}
      className="flex flex-wrap items-center gap-2"
    >
      {sources.map((source, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- A source is its place in the check.
        <li key={place} className="flex min-w-0 items-center gap-2">
          <Sign>{signBefore(source, place, isEqual)}</Sign>
          <SourceBox source={source} />
        </li>
      ))}
      {(kind === "ledger_vs_pool_drift" || kind === "ledger_invariant") && (
        <li className="flex items-center gap-2">
          <Sign>=</Sign>
          {reconciliationWords().compare.zero}
        </li>
      )}
    </ul>
  );
}

function signBefore({ sign }: CheckSource, place: number, isEqual: boolean): string {
  if (isEqual) return place === 0 ? "" : "=";
  if (sign === -1) return "−";
  return place === 0 ? "" : "+";
}

const Sign = ({ children }: { readonly children: string }): ReactNode =>
  children === "" ? null : (
    <span className="shrink-0 text-section font-medium text-muted">{children}</span>
  );

function SourceBox({ source }: { readonly source: CheckSource }) {
  const words = reconciliationWords().compare;
  return (
    <span className="min-w-0 rounded-md border border-line px-3 py-1.5">
      {source.kind === "ledger" ? (
        <>
          <span className="block text-note text-muted">
            <LedgerLink ledger={source.ledger} />
          </span>
          <span className="line-clamp-3">
            <AccountsName query={source.query} />
          </span>
        </>
      ) : (
        <>
          <span className="block text-note text-muted">{words.pool}</span>
          <PoolLink id={source.poolId} />
        </>
      )}
    </span>
  );
}

/** The accounts that a filter finds, as people write it. */
export function AccountsName({ query }: { readonly query: unknown }) {
  const text = accountsText(query);
  if (text === "") return reconciliationWords().compare.all;
  return (
    <span className="font-mono text-note">
      <Foreign>{text}</Foreign>
    </span>
  );
}

/** What is allowed of an asset, in words. */
export function limitText({ asset, tolerance, min, max }: AssetLimit): string {
  const words = reconciliationWords().compare;
  const show = (amount: number | bigint): string => formatAmount(amount, asset, locale);
  if (tolerance !== undefined)
    return BigInt(tolerance) === 0n ? words.exactly : words.within(show(tolerance));
  if (min !== undefined && max !== undefined) return words.between(show(min), show(max));
  if (min !== undefined) return words.atLeast(show(min));
  return max === undefined ? "" : words.atMost(show(max));
}
