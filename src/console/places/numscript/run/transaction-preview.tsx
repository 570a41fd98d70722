import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { balanceChanges } from "./balances.ts";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { MoneyGraph } from "#console/parts/graphs/money-graph.tsx";
import { Money } from "#console/parts/money/money.tsx";
import type { ScriptedTransaction } from "#console/places/numscript/queries.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

interface Props {
  readonly ledger: string;
  readonly transaction: ScriptedTransaction;
}

/** What a run does: who to whom, each balance before and after, and what is noted. */
export const TransactionPreview = ({ ledger, transaction }: Props) => (
  <div className="space-y-5">
    <MoneyGraph postings={transaction.postings} />
    <Movements ledger={ledger} transaction={transaction} />
    <Balances ledger={ledger} transaction={transaction} />
    <Noted transaction={transaction} />
  </div>
);

function Movements({ ledger, transaction: { postings } }: Props) {
  const words = numscriptWords().run;
  if (postings.length === 0) return <p className="text-muted">{words.noMovements}</p>;
  return (
    <ol aria-label={words.movements} className="divide-y divide-line rounded-md border border-line">
      {postings
        .map((posting, place) => ({ ...posting, place }))
        .map(({ place, source, destination, amount, asset }) => (
          <li key={place} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">
              <AccountLink ledger={ledger} address={source} />
              <ArrowRight aria-label={words.to} size={13} className="shrink-0 text-faint" />
              <AccountLink ledger={ledger} address={destination} />
            </span>
            <span className="font-medium">
              <Money amount={amount} asset={asset} />
            </span>
          </li>
        ))}
    </ol>
  );
}

function Balances({ ledger, transaction }: Props) {
  const words = numscriptWords().run;
  const changes = balanceChanges(transaction);
  if (changes.length === 0) return null;
  return (
    <table className="w-full">
      <caption className="mb-1 text-left font-medium">{words.balances}</caption>
      <thead>
        <tr className="border-b border-line text-note text-muted">
          <th className="w-2/5 pb-1 text-left font-normal">{words.account}</th>
          <th className="pb-1 text-right font-normal">{words.before}</th>
          <th className="pb-1 text-right font-normal max-xl:hidden">{words.change}</th>
          <th className="pb-1 text-right font-normal">{words.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ address, asset, before, after }) => (
          <tr key={`${address} ${asset}`} className="border-b border-line">
            <td className="max-w-0 truncate py-1.5 pr-3">
              <AccountLink ledger={ledger} address={address} />
            </td>
            <td className="py-1.5 pl-3 text-right text-muted">
              <Money amount={before} asset={asset} />
            </td>
            <td className="py-1.5 pl-3 text-right text-muted max-xl:hidden">
              <Money amount={after - before} asset={asset} />
            </td>
            <td className="py-1.5 pl-3 text-right">
              <Money amount={after} asset={asset} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Noted({ transaction: { metadata } }: Pick<Props, "transaction">) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return null;
  return (
    <div>
      <p className="mb-1 font-medium">{numscriptWords().run.metadata}</p>
      <Facts>
        {entries.map(([name, value]) => (
          <Fact key={name} name={name}>
            <Foreign>{value}</Foreign>
          </Fact>
        ))}
      </Facts>
    </div>
  );
}

const AccountLink = ({
  ledger,
  address,
}: {
  readonly ledger: string;
  readonly address: string;
}) => (
  <Link
    to="/ledgers/$ledger/accounts/$address"
    params={{ ledger, address }}
    className="inline-flex max-w-full min-w-0 rounded-sm hover:underline"
  >
    <Address address={address} />
  </Link>
);
