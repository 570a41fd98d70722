import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ActivityChart } from "./activity-chart.tsx";
import { Holders } from "./holders.tsx";
import { LastTransactions } from "./last-transactions.tsx";
import { COUNTS } from "./measure.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Figure, Figures } from "#console/parts/base/figure.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { Metadata } from "#console/places/ledgers/metadata.tsx";
import { PresentOnly } from "#console/places/ledgers/moment/present-only.tsx";
import { ledgerQuery, spanQuery, statsQuery } from "#console/places/ledgers/queries.ts";
import { overviewRequests } from "#console/places/ledgers/requests.ts";
import { useMoments } from "#console/places/ledgers/time/moments.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** The home of a ledger: how much it moves, where its money is, and what came last. */
export function OverviewPage() {
  const words = ledgerWords().overview;
  const { ledger } = useParams({ from: "/ledgers/$ledger/overview" });
  const { at } = useMoments();
  const [measure, setMeasure] = useState(COUNTS);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PresentOnly what={words.countsOfNow} />
      <div className="flex items-start justify-between gap-2 pt-5">
        <Counts ledger={ledger} />
        <div className="pr-6 max-sm:hidden">
          <AsCode requests={overviewRequests(ledger, at)} />
        </div>
      </div>
      <div className="max-w-6xl p-6 pt-2 max-sm:p-4">
        <div className="min-h-64">
          <ActivityChart ledger={ledger} at={at} measure={measure} onMeasure={setMeasure} />
        </div>
        <div className="mt-8 grid grid-cols-2 gap-x-10 max-lg:grid-cols-1">
          <Section title={words.holders} actions={<TreeLink ledger={ledger} />}>
            <Holders ledger={ledger} at={at} asset={measure === COUNTS ? undefined : measure} />
          </Section>
          <div className="max-lg:mt-8">
            <Section title={words.last} actions={<AllLink ledger={ledger} />}>
              <LastTransactions ledger={ledger} at={at} />
            </Section>
          </div>
        </div>
        <About ledger={ledger} />
      </div>
    </div>
  );
}

/** How much the ledger has, and when it was written. */
function Counts({ ledger }: { readonly ledger: string }) {
  const words = ledgerWords();
  const { data: stats } = useQuery(statsQuery(ledger));
  const { data: span } = useQuery(spanQuery(ledger));
  return (
    <div className="px-6 pb-4 max-sm:px-4">
      <Figures>
        <Figure name={words.transactions} link={linkTo("/ledgers/$ledger/transactions", ledger)}>
          {stats === undefined ? "…" : formatCount(stats.transactions)}
        </Figure>
        <Figure name={words.accounts} link={linkTo("/ledgers/$ledger/accounts", ledger)}>
          {stats === undefined ? "…" : formatCount(stats.accounts)}
        </Figure>
        {span?.firstEntryAt !== undefined && (
          <Figure name={words.overview.firstEntry}>
            <Moment at={span.firstEntryAt} />
          </Figure>
        )}
        {span?.lastEntryAt !== undefined && (
          <Figure name={words.overview.lastEntry} link={linkTo("/ledgers/$ledger/logs", ledger)}>
            <Moment at={span.lastEntryAt} />
          </Figure>
        )}
      </Figures>
    </div>
  );
}

/** The link of a figure to a page of the ledger. */
const linkTo =
  (
    to: "/ledgers/$ledger/transactions" | "/ledgers/$ledger/accounts" | "/ledgers/$ledger/logs",
    ledger: string,
  ) =>
  (text: ReactNode): ReactNode => (
    <Link to={to} params={{ ledger }} className="hover:underline">
      {text}
    </Link>
  );

/** What the ledger is: its bucket, metadata and features. */
function About({ ledger }: { readonly ledger: string }) {
  const words = ledgerWords();
  const { data, error, refetch } = useQuery(ledgerQuery(ledger));
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  const { bucket, addedAt, metadata, features } = data;
  return (
    <div className="mt-8 grid grid-cols-2 gap-x-10 max-lg:grid-cols-1">
      <Section title={words.overview.about}>
        <Facts>
          <Fact name={words.bucket}>
            <Foreign>{bucket}</Foreign>
          </Fact>
          <Fact name={words.created}>
            <Moment at={addedAt} isWhole />
          </Fact>
          {Object.entries(features).map(([name, value]) => (
            <Fact key={name} name={featureName(name)}>
              <span className="text-muted" title={`${name}: ${value}`}>
                {value === "DISABLED" || value === "OFF" ? words.overview.off : words.overview.on}
              </span>
            </Fact>
          ))}
        </Facts>
      </Section>
      <div className="max-lg:mt-8">
        <Section title={words.detail.metadata}>
          <Metadata metadata={metadata} />
        </Section>
      </div>
    </div>
  );
}

/** What a feature of a ledger does, in words; its own name if it is not known. */
function featureName(name: string): string {
  const words: Readonly<Record<string, string>> = ledgerWords().overview.features;
  return words[name] ?? name;
}

const TreeLink = ({ ledger }: { readonly ledger: string }) => (
  <Link to="/ledgers/$ledger/tree" params={{ ledger }} className="text-accent hover:underline">
    {ledgerWords().overview.wholeTree}
  </Link>
);

const AllLink = ({ ledger }: { readonly ledger: string }) => (
  <Link
    to="/ledgers/$ledger/transactions"
    params={{ ledger }}
    className="text-accent hover:underline"
  >
    {ledgerWords().overview.allTransactions}
  </Link>
);
