import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { BalanceChart } from "./balance-chart.tsx";
import { accountQuery, type Balance, balancesQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Tiles } from "#console/parts/base/choice.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { LargeMoney, Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { referenceIn } from "#console/places/payments/common/ids.ts";
import { Metadata } from "#console/places/payments/common/metadata.tsx";
import { ConnectorLink } from "#console/places/payments/common/names.tsx";
import type { AccountAtProvider } from "#console/places/payments/common/queries.ts";
import { readRequest } from "#console/places/payments/common/requests.ts";
import { listCrumb } from "#console/places/payments/payments-frame.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** An account at a provider: what it holds, and how that changed. */
export function AccountPage() {
  const { id } = useParams({ from: "/payments/accounts/$id" });
  const { data, error, refetch } = useQuery(accountQuery(id));
  return (
    <>
      <PageTitle
        crumbs={[listCrumb("accounts")]}
        title={referenceIn(id)}
        isCode
        actions={<AsCode requests={requestsOf(id)} />}
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details account={data} />}
      </div>
    </>
  );
}

function Details({ account }: { readonly account: AccountAtProvider }) {
  const words = paymentWords();
  const { id } = account;
  return (
    <div className="max-w-5xl p-6 max-sm:p-4">
      <Holdings id={id} />
      <div className="mt-6">
        <AccountFacts account={account} />
        <p className="mt-4 flex flex-wrap gap-x-5 gap-y-1">
          <Link to="/payments/payments" search={{ account: id }} className={LINK}>
            {words.accounts.itsPayments}
          </Link>
          <Link to="/payments/initiations" search={{ account: id }} className={LINK}>
            {words.accounts.itsOrders}
          </Link>
        </p>
      </div>
      <Section title={words.fields.metadata}>
        <Metadata metadata={account.metadata} />
      </Section>
      <Section title={words.payments.fromProvider}>
        <JsonView value={account.raw} />
      </Section>
    </div>
  );
}

const LINK = "text-accent hover:underline";

function AccountFacts({ account }: { readonly account: AccountAtProvider }) {
  const { fields, accountType } = paymentWords();
  const { id, connectorID, provider, name, type, createdAt, defaultAsset } = account;
  return (
    <Facts>
      {name !== undefined && (
        <Fact name={fields.name}>
          <Foreign>{name}</Foreign>
        </Fact>
      )}
      <Fact name={fields.type}>{accountType[type]}</Fact>
      <Fact name={fields.connector}>
        <ConnectorLink id={connectorID} kind={provider} />
      </Fact>
      {defaultAsset !== undefined && (
        <Fact name={fields.asset}>
          <Foreign>{defaultAsset}</Foreign>
        </Fact>
      )}
      <Fact name={fields.created}>
        <Moment at={createdAt} isWhole />
      </Fact>
      <Fact name={fields.id}>
        <span className="flex items-center gap-1">
          <span className="truncate font-mono text-note">{id}</span>
          <CopyButton value={id} what={fields.id} />
        </span>
      </Fact>
    </Facts>
  );
}

/** The last balance of each asset, and the chosen one over time. */
function Holdings({ id }: { readonly id: string }) {
  const words = paymentWords().accounts;
  const { data, error, refetch } = useQuery(balancesQuery(id));
  const [chosen, setChosen] = useState<string>();
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const shown: Balance | undefined = data.find(({ asset }) => asset === chosen) ?? data[0];
  if (shown === undefined) return <p className="text-muted">{words.noBalance}</p>;
  return (
    <>
      <LargeMoney amount={shown.balance} asset={shown.asset} />
      <p className="mt-1 text-muted">
        {words.asOf} <Moment at={shown.lastUpdatedAt} />
      </p>
      {data.length > 1 && (
        <div className="mt-4">
          <Tiles
            label={words.balances}
            options={data.map(({ asset, balance }) => [
              asset,
              <Money key={asset} amount={balance} asset={asset} />,
            ])}
            chosen={shown.asset}
            onChoose={setChosen}
          />
        </div>
      )}
      <div className="mt-6">
        <BalanceChart id={id} asset={shown.asset} />
      </div>
    </>
  );
}

/** The requests of the page, for its code. */
const requestsOf = (id: string) => [
  readRequest("/api/payments/v3/accounts/{accountID}", { accountID: id }),
  readRequest("/api/payments/v3/accounts/{accountID}/balances", { accountID: id }),
];
