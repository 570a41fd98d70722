import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact } from "#console/parts/base/facts.tsx";
import { PathLink } from "#console/parts/routing/path-link.tsx";
import { poolNamesQuery } from "#console/places/reconciliation/queries/common.ts";
import { ruleQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

export const LINK = "rounded-sm text-accent hover:underline";

/** Time for which the name of a rule counts as current, in milliseconds. */
const NAME_CURRENT_MS = 60_000;

/** The first part of an id, for what has no other name. */
export const shortId = (id: string): string => id.slice(0, 8);

/** The name of a rule; the beginning of its id until the name is known. */
export function RuleName({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...ruleQuery(id), staleTime: NAME_CURRENT_MS });
  return <Foreign>{data?.name ?? shortId(id)}</Foreign>;
}

/** The name of a rule, which leads to it. */
export const RuleLink = ({ id }: { readonly id: string }) => (
  <Link
    to="/reconciliation/rules/$id"
    params={{ id }}
    onClick={(event) => event.stopPropagation()}
    className={LINK}
  >
    <RuleName id={id} />
  </Link>
);

/** The name of a pool; the beginning of its id where it is not known, or is gone. */
export function PoolName({ id }: { readonly id: string }) {
  const { data } = useQuery(poolNamesQuery());
  return <Foreign>{data?.find((pool) => pool.id === id)?.name ?? shortId(id)}</Foreign>;
}

export const PoolLink = ({ id }: { readonly id: string }) =>
  may("payments:read") ? (
    <PathLink to={`/payments/pools/${encodeURIComponent(id)}`} className={LINK}>
      <PoolName id={id} />
    </PathLink>
  ) : (
    <PoolName id={id} />
  );

export const LedgerLink = ({ ledger }: { readonly ledger: string }) =>
  may("ledger:read") ? (
    <PathLink to={`/ledgers/${encodeURIComponent(ledger)}/overview`} className={LINK}>
      <Foreign>{ledger}</Foreign>
    </PathLink>
  ) : (
    <Foreign>{ledger}</Foreign>
  );

/** The id of an object, to copy. */
export function IdFact({ id }: { readonly id: string }) {
  const name = reconciliationWords().fields.id;
  return (
    <Fact name={name}>
      <span className="inline-flex max-w-full items-center gap-1">
        <span className="truncate font-mono text-note">{id}</span>
        <CopyButton value={id} what={name} />
      </span>
    </Fact>
  );
}
