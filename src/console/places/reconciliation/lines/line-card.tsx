import { Day } from "./day.tsx";
import { LineTextFacts } from "./texts.tsx";
import { may } from "#console/api/florin.ts";
import { Address } from "#console/parts/base/address.tsx";
import { TextView } from "#console/parts/base/json-view.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { PathLink } from "#console/parts/routing/path-link.tsx";
import { LINK } from "#console/places/reconciliation/common/names.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { LineField, MatchingLine } from "#console/places/reconciliation/queries/groups.ts";

/** A line of a matching with all that is known of it. `equal` names the texts that have made a match. */
export function LineCard({
  line,
  equal,
}: {
  readonly line: MatchingLine;
  readonly equal?: ReadonlySet<LineField>;
}) {
  const { date, amount, asset, fee, texts, raw } = line;
  const words = matchingWords().line;
  return (
    <article
      aria-label={words.label(String(line.id))}
      className="rounded-md border border-line p-3"
    >
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="text-muted">
          <Day day={date} />
        </span>
        <span className="text-section font-semibold">
          <Money amount={amount} asset={asset} />
        </span>
      </div>
      <LineTextFacts texts={texts} {...(equal === undefined ? {} : { equal })} />
      {fee !== undefined && (
        <p className="mt-2 text-muted">
          {words.fee} <Money amount={fee} asset={asset} />
        </p>
      )}
      <Origin line={line} />
      {raw !== undefined && (
        <details className="mt-2">
          <summary className="cursor-pointer text-note text-accent">{words.raw}</summary>
          <div className="mt-1">
            <TextView text={raw} what={words.raw} />
          </div>
        </details>
      )}
    </article>
  );
}

/** Where a line comes from: a transaction of a ledger, a payment, or a line of a file. */
function Origin({ line }: { readonly line: MatchingLine }) {
  const words = matchingWords().line;
  const { ledger, transactionID, account, otherAccount, paymentID, fileLine } = line;
  if (ledger !== undefined && transactionID !== undefined) {
    const text = words.transaction(String(transactionID), ledger);
    return (
      <p className="mt-2 flex flex-wrap items-center gap-x-2 text-muted">
        {may("ledger:read") ? (
          <PathLink
            to={`/ledgers/${encodeURIComponent(ledger)}/transactions/${transactionID}`}
            className={LINK}
          >
            {text}
          </PathLink>
        ) : (
          text
        )}
        {account !== undefined && <Address address={account} />}
        {otherAccount !== undefined && <Address address={otherAccount} />}
      </p>
    );
  }
  if (paymentID !== undefined) {
    return (
      <p className="mt-2 text-muted">
        {may("payments:read") ? (
          <PathLink to={`/payments/payments/${encodeURIComponent(paymentID)}`} className={LINK}>
            {words.payment}
          </PathLink>
        ) : (
          words.payment
        )}
      </p>
    );
  }
  return fileLine === undefined ? null : (
    <p className="mt-2 text-muted">{words.fileLine(String(fileLine))}</p>
  );
}
