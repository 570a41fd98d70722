import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { CounterpartyFlow } from "./accounts/counterparty-flow.tsx";
import { MetadataHistory } from "./accounts/metadata-history.tsx";
import { BalanceChart } from "./balance-chart.tsx";
import { transactionColumns } from "./columns.tsx";
import { EditableMetadata } from "./edit-metadata.tsx";
import { transactionFilter } from "./filters.ts";
import { ledgerCrumb, ledgersCrumb, listCrumb } from "./ledger-frame.tsx";
import { Metadata } from "./metadata.tsx";
import { ComparedBalances, isAbsent } from "./moment/compared-balances.tsx";
import { MomentBar, MomentButton } from "./moment/moment-bar.tsx";
import { type Account, accountQuery, transactionsQuery } from "./queries.ts";
import { useMoments } from "./time/moments.ts";
import { postingLines, transactionCsv } from "./transactions/csv.ts";
import { accountRequest } from "./transactions/requests.ts";
import { ledgerWords } from "./words.ts";
import { florin } from "#console/api/florin.ts";
import { Tiles } from "#console/parts/base/choice.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { LiveStatus } from "#console/parts/live/live-status.tsx";
import { useRefreshOnWrites } from "#console/parts/live/use-ledger-live.ts";
import { LargeMoney, Money } from "#console/parts/money/money.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { stringifyJson } from "#platform/json.ts";

const METADATA = "/api/ledger/v2/{ledger}/accounts/{address}/metadata";
const RECENT_MAX = 10;

/** An account: what it holds, how that came, and its last transactions. */
export function AccountPage() {
  const { ledger, address } = useParams({ from: "/ledgers/$ledger/accounts/$address" });
  const { at } = useMoments();
  const { data, error, refetch } = useQuery({
    ...accountQuery(ledger, address, at),
    placeholderData: (before) => before,
  });
  const isNotUsedYet = at !== undefined && isAbsent(error);
  const changing = [
    ["ledgers", ledger, "account", address],
    ["ledgers", ledger, "history"],
    ["ledgers", ledger, "transactions", transactionFilter({ account: address })],
  ];
  // What is written now does not change the past.
  const state = useRefreshOnWrites(ledger, address, at === undefined ? changing : []);
  return (
    <>
      <PageTitle
        crumbs={[ledgersCrumb(), ledgerCrumb(ledger), listCrumb(ledger, "accounts")]}
        title={address}
        isCode
        actions={
          <>
            <MomentButton />
            <LiveStatus state={state} />
            <AsCode requests={[accountRequest(ledger, address, at)]} />
            <CopyButton value={address} what={ledgerWords().detail.account} />
          </>
        }
      />
      <MomentBar ledger={ledger} />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {isNotUsedYet && (
          <div className="max-w-5xl p-6 max-sm:p-4">
            <Empty title={ledgerWords().moment.notUsedYet} />
            <ComparedBalances ledger={ledger} address={address} />
          </div>
        )}
        {error !== null && !isNotUsedYet && <Failure error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details ledger={ledger} account={data} />}
      </div>
    </>
  );
}

function Details({ ledger, account }: { readonly ledger: string; readonly account: Account }) {
  const words = ledgerWords();
  const { at } = useMoments();
  const { address, volumes = {}, firstUsage } = account;
  const assets = Object.entries(volumes);
  const [firstHeld] = assets.find(([, { balance }]) => BigInt(balance) !== 0n) ?? assets[0] ?? [];
  const [wanted, setChosen] = useState<string>();
  const chosen = wanted !== undefined && wanted in volumes ? wanted : firstHeld;
  const held = chosen === undefined ? undefined : volumes[chosen];
  return (
    <div className="max-w-5xl p-6 max-sm:p-4">
      {chosen === undefined || held === undefined ? (
        <p className="text-muted">{words.account.noBalance}</p>
      ) : (
        <>
          <p className="text-muted">{words.account.balance}</p>
          <LargeMoney amount={held.balance} asset={chosen} />
          <p className="mt-1 flex flex-wrap gap-x-4 text-muted">
            <span>
              {words.account.received} <Money amount={held.input} asset={chosen} />
            </span>
            <span>
              {words.account.sent} <Money amount={held.output} asset={chosen} />
            </span>
          </p>
          {assets.length > 1 && (
            <div className="mt-4">
              <Tiles
                label={words.account.balances}
                options={assets.map(([asset, { balance }]) => [
                  asset,
                  <Money key={asset} amount={balance} asset={asset} />,
                ])}
                chosen={chosen}
                onChoose={setChosen}
              />
            </div>
          )}
          <div className="mt-6 min-h-64">
            <BalanceChart
              ledger={ledger}
              address={address}
              asset={chosen}
              at={at}
              since={firstUsage}
            />
          </div>
        </>
      )}
      <ComparedBalances ledger={ledger} address={address} />
      {chosen !== undefined && at === undefined && (
        <CounterpartyFlow key={address} ledger={ledger} address={address} asset={chosen} />
      )}
      <Recent ledger={ledger} address={address} />
      <AccountMetadata ledger={ledger} account={account} />
      {firstUsage !== undefined && (
        <div className="mt-6">
          <Facts>
            <Fact name={words.account.firstUsed}>
              <Moment at={firstUsage} isWhole />
            </Fact>
          </Facts>
        </div>
      )}
    </div>
  );
}

/** The metadata of the account; at a moment, only to read. */
function AccountMetadata({
  ledger,
  account: { address, metadata },
}: {
  readonly ledger: string;
  readonly account: Account;
}) {
  const { at } = useMoments();
  const path = { ledger, address };
  return at === undefined ? (
    <>
      <EditableMetadata
        ledger={ledger}
        metadata={metadata}
        save={(body, call) => florin.post(METADATA, { path, body }, call)}
        remove={(key, call) => florin.delete(`${METADATA}/{key}`, { path: { ...path, key } }, call)}
      />
      <MetadataHistory key={stringifyJson([address, metadata])} ledger={ledger} address={address} />
    </>
  ) : (
    <Section title={ledgerWords().detail.metadata}>
      <Metadata metadata={metadata} />
    </Section>
  );
}

const AllTransactions = ({
  ledger,
  address,
}: {
  readonly ledger: string;
  readonly address: string;
}) => (
  <Link
    to="/ledgers/$ledger/transactions"
    params={{ ledger }}
    search={{ account: address }}
    className="text-accent hover:underline"
  >
    {ledgerWords().account.seeAll}
  </Link>
);

/** The last transactions of the account, and the ways to all of them. */
const Recent = ({ ledger, address }: { readonly ledger: string; readonly address: string }) => (
  <Section
    title={ledgerWords().account.transactions}
    actions={
      <span className="flex flex-wrap items-center justify-end gap-x-3">
        <CsvButton
          file={`${ledger}-${address.replaceAll(":", "-")}-transactions`}
          query={transactionsQuery(ledger, transactionFilter({ account: address }))}
          columns={transactionCsv}
          linesOf={postingLines}
        />
        <AllTransactions ledger={ledger} address={address} />
      </span>
    }
  >
    <RecentRows ledger={ledger} address={address} />
  </Section>
);

function RecentRows({ ledger, address }: { readonly ledger: string; readonly address: string }) {
  const navigate = useNavigate();
  const columns = useMemo(() => transactionColumns(), []);
  const { data, error, refetch } = useInfiniteQuery(
    transactionsQuery(ledger, transactionFilter({ account: address })),
  );
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={4} />;
  const rows = data.pages[0]?.rows.slice(0, RECENT_MAX) ?? [];
  return (
    <div className="-mx-6 max-sm:-mx-4">
      <DataTable
        label={ledgerWords().account.transactions}
        columns={columns}
        rows={rows}
        idOf={({ id }) => String(id)}
        onOpen={({ id }) =>
          void navigate({
            to: "/ledgers/$ledger/transactions",
            params: { ledger },
            search: { account: address, open: String(id) },
          })
        }
      />
    </div>
  );
}
