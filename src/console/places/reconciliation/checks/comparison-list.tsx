import { type ReactNode, useState } from "react";
import { limitText } from "./check-picture.tsx";
import type { Comparison, SideName } from "./outcomes.ts";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { toneClass, ToneIcon } from "#console/parts/base/status.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { PathLink } from "#console/parts/routing/path-link.tsx";
import { LINK, PoolName } from "#console/places/reconciliation/common/names.tsx";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";
import type { Integer } from "#openapi";

/** Comparisons that are shown before somebody asks for all. */
const SHOWN_MAX = 50;

/** What was compared: both sides of each asset and account, and how far they are apart. */
export function ComparisonList({
  comparisons,
  ledger,
}: {
  readonly comparisons: readonly Comparison[];
  /** The ledger of the accounts, to whose pages they lead; undefined where there are several. */
  readonly ledger: string | undefined;
}) {
  const words = reconciliationWords().evaluationPage;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? comparisons : comparisons.slice(0, SHOWN_MAX);
  return (
    <>
      <ul aria-label={words.checks} className="divide-y divide-line rounded-md border border-line">
        {shown.map((comparison) => (
          <ComparisonRow key={comparison.id} comparison={comparison} ledger={ledger} />
        ))}
      </ul>
      {shown.length < comparisons.length && (
        <Button kind="quiet" className="mt-2" onClick={() => setWhole(true)}>
          {reconciliationWords().alerts.more} ({formatCount(comparisons.length)})
        </Button>
      )}
    </>
  );
}

/** A check: what it is about on the left, and its numbers on the right; on a phone, below. */
export function ComparisonRow({
  comparison,
  ledger,
}: {
  readonly comparison: Comparison;
  readonly ledger: string | undefined;
}) {
  const words = reconciliationWords();
  const { asset, account, passed, sides, difference, isSum = false } = comparison;
  const limit = limitText(comparison);
  const tone = passed ? "good" : "bad";
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-8 gap-y-2 px-3 py-2.5">
      <div className="flex min-w-48 flex-1 gap-2.5">
        <span className={`mt-0.5 shrink-0 ${toneClass(tone)}`}>
          <ToneIcon tone={tone} />
        </span>
        <div className="min-w-0">
          <p className="flex flex-wrap items-baseline gap-x-2 font-medium">
            <span className="sr-only">
              {passed ? words.evaluationPage.passing : words.evaluationPage.failing}
            </span>
            <Foreign>{asset}</Foreign>
            {account !== undefined && <AccountLink ledger={ledger} account={account} />}
          </p>
          {limit !== "" && <p className="text-note text-muted">{limit}</p>}
        </div>
      </div>
      <dl className="flex flex-wrap justify-end gap-x-8 gap-y-2 max-sm:w-full max-sm:justify-between">
        {sides.map(({ name, amount }, place) => (
          <Side
            // oxlint-disable-next-line react/no-array-index-key -- A side is its place in the check.
            key={place}
            name={<SideLabel name={name} />}
            amount={amount}
            asset={asset}
            isStrong={!passed && difference === undefined}
          />
        ))}
        {difference !== undefined && (
          <Side
            name={isSum ? words.fields.sum : words.fields.difference}
            amount={difference}
            asset={asset}
            isStrong={!passed}
          />
        )}
      </dl>
    </li>
  );
}

const Side = ({
  name,
  amount,
  asset,
  isStrong = false,
}: {
  readonly name: ReactNode;
  readonly amount: Integer;
  readonly asset: string;
  readonly isStrong?: boolean;
}) => (
  <div className="min-w-28 text-right max-sm:min-w-0 max-sm:text-left">
    <dt className="text-note text-muted">{name}</dt>
    <dd className={isStrong ? "font-semibold" : ""}>
      <Money amount={amount} asset={asset} />
    </dd>
  </div>
);

function AccountLink({
  ledger,
  account,
}: {
  readonly ledger: string | undefined;
  readonly account: string;
}) {
  if (ledger === undefined) return <Address address={account} />;
  const path = `/ledgers/${encodeURIComponent(ledger)}/accounts/${encodeURIComponent(account)}`;
  return (
    <PathLink to={path} className={`inline-flex max-w-full ${LINK}`}>
      <Address address={account} />
    </PathLink>
  );
}

const LEDGER_SOURCE = "ledger:";
const POOL_SOURCE = "pool:";

/** The name of a side. A source is called as the rest of the page calls it. */
function SideLabel({ name }: { readonly name: SideName }): ReactNode {
  const { evaluationPage, fields, form } = reconciliationWords();
  const { sides } = evaluationPage;
  switch (name.kind) {
    case "balance":
      return fields.balance;
    case "left":
      return form.left;
    case "right":
      return form.right;
    case "term":
      return form.term(String(name.number));
    case "source":
      return <SourceName source={name.text} />;
    default:
      return sides[name.kind];
  }
}

/** A source as the API names it, such as `ledger:main` or `pool:7f0e…`, in words. */
export function SourceName({ source }: { readonly source: string }): ReactNode {
  const words = reconciliationWords().evaluationPage.sides;
  if (source.startsWith(LEDGER_SOURCE)) {
    return (
      <>
        {words.ledger} <Foreign>{source.slice(LEDGER_SOURCE.length)}</Foreign>
      </>
    );
  }
  if (!source.startsWith(POOL_SOURCE)) return <Foreign>{source}</Foreign>;
  return (
    <>
      {words.pool} <PoolName id={source.slice(POOL_SOURCE.length)} />
    </>
  );
}
