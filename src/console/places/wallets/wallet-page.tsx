import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Balances, NewBalance } from "./balances.tsx";
import { Credit } from "./credit.tsx";
import { Debit } from "./debit.tsx";
import { Funds } from "./funds.tsx";
import { Holds } from "./holds.tsx";
import { Metadata } from "./metadata.tsx";
import { type Summary, summaryQuery, type Wallet, walletQuery } from "./queries.ts";
import { pageRequests } from "./requests.ts";
import { Transactions } from "./transactions.tsx";
import { walletWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { AuditedLink } from "#console/parts/routing/audited-link.tsx";
import { Moment } from "#console/parts/time/moment.tsx";

/** A wallet: what its owner has, what is held, and what has moved. */
export function WalletPage() {
  const words = walletWords();
  const { id } = useParams({ from: "/wallets/$id" });
  const { data, error, refetch } = useQuery(walletQuery(id));
  const { data: summary, error: failure } = useQuery(summaryQuery(id));
  const name = data === undefined ? words.wallet : data.name || words.nameless;
  return (
    <>
      <PageTitle
        crumbs={[walletsCrumb()]}
        title={visible(name)}
        actions={
          <>
            <AsCode requests={pageRequests(id)} />
            {data !== undefined && summary !== undefined && may("wallets:write") && (
              <>
                <Debit wallet={id} summary={summary} />
                <Credit wallet={id} summary={summary} />
              </>
            )}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && <Failure error={error} retry={() => void refetch()} />}
        {failure !== null && error === null && <Failure error={failure} />}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && summary !== undefined && <Details wallet={data} summary={summary} />}
      </div>
    </>
  );
}

/** The way back to the list of wallets. */
const walletsCrumb = () => ({
  text: walletWords().title,
  link: (text: ReactNode) => <Link to="/wallets">{text}</Link>,
});

function Details({ wallet, summary }: { readonly wallet: Wallet; readonly summary: Summary }) {
  const words = walletWords();
  const { id, ledger, createdAt, metadata } = wallet;
  return (
    <div className="max-w-5xl p-6 max-sm:p-4">
      <Funds summary={summary} />
      <div className="mt-8">
        <Section title={words.holds.title}>
          <Holds wallet={id} ledger={ledger} />
        </Section>
        <Section
          title={words.balances.title}
          actions={may("wallets:write") ? <NewBalance wallet={id} /> : undefined}
        >
          <Balances balances={summary.balances} />
        </Section>
        <Section
          title={words.detail.transactions}
          actions={
            may("ledger:read") ? (
              <Link
                to="/ledgers/$ledger/transactions"
                params={{ ledger }}
                search={{ account: `wallets:${id.replaceAll("-", "")}:` }}
                className="text-accent hover:underline"
              >
                {words.detail.allTransactions}
              </Link>
            ) : undefined
          }
        >
          <Transactions wallet={id} />
        </Section>
        <Metadata wallet={id} metadata={metadata} />
      </div>
      <div className="mt-8">
        <Facts>
          <Fact name={words.detail.id}>
            <span className="inline-flex items-center gap-1 font-mono text-note">
              <span className="foreign">{id}</span>
              <CopyButton value={id} what={words.detail.id} />
            </span>
          </Fact>
          <Fact name={words.detail.created}>
            <Moment at={createdAt} isWhole />
          </Fact>
          <Fact name={words.detail.ledger}>
            <AuditedLink object={`ledgers/${ledger}`}>{ledger}</AuditedLink>
          </Fact>
        </Facts>
      </div>
    </div>
  );
}
