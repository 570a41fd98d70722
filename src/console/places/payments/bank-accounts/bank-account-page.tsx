import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ForwardBankAccount } from "./forward-form.tsx";
import { type BankAccount, bankAccountQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { Metadata } from "#console/places/payments/common/metadata.tsx";
import { AccountLink } from "#console/places/payments/common/names.tsx";
import { readRequest } from "#console/places/payments/common/requests.ts";
import { listCrumb } from "#console/places/payments/payments-frame.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** A bank account with its masked numbers, and the providers that know it. */
export function BankAccountPage() {
  const { id } = useParams({ from: "/payments/bank-accounts/$id" });
  const { data, error, refetch } = useQuery(bankAccountQuery(id));
  return (
    <>
      <PageTitle
        crumbs={[listCrumb("bank-accounts")]}
        title={data?.name ?? paymentWords().bankAccount}
        actions={
          <>
            <AsCode requests={requestsOf(id)} />
            {data !== undefined && may("payments:write") && <ForwardBankAccount id={id} />}
          </>
        }
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

function Details({ account }: { readonly account: BankAccount }) {
  const { fields, bankAccounts: words } = paymentWords();
  const { id, createdAt, iban, accountNumber, swiftBicCode, country, relatedAccounts } = account;
  const numbers = [
    [words.iban, iban],
    [words.accountNumber, accountNumber],
    [words.bic, swiftBicCode],
    [words.country, country],
  ] as const;
  return (
    <div className="max-w-3xl p-6 max-sm:p-4">
      <Facts>
        {numbers.map(([name, value]) =>
          value === undefined || value === "" ? null : (
            <Fact key={name} name={name}>
              <span className="font-mono text-note">
                <Foreign>{value}</Foreign>
              </span>
            </Fact>
          ),
        )}
        <Fact name={fields.created}>
          <Moment at={createdAt} isWhole />
        </Fact>
        <Fact name={fields.id}>
          <span className="inline-flex items-center gap-1">
            <span className="font-mono text-note">{id}</span>
            <CopyButton value={id} what={fields.id} />
          </span>
        </Fact>
      </Facts>
      <p className="mt-3 text-note text-muted">{words.masked}</p>
      <Section title={words.atProviders}>
        {relatedAccounts.length === 0 ? (
          <p className="text-muted">{words.atNone}</p>
        ) : (
          <ul className="divide-y divide-line rounded-md border border-line">
            {relatedAccounts.map(({ accountID, createdAt: since }) => (
              <li key={accountID} className="flex items-center justify-between gap-3 px-3 py-2">
                <AccountLink id={accountID} />
                <span className="text-note text-muted">
                  <Moment at={since} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title={fields.metadata}>
        <Metadata metadata={account.metadata} />
      </Section>
    </div>
  );
}

/** The requests of the page, for its code. */
const requestsOf = (id: string) => [
  readRequest("/api/payments/v3/bank-accounts/{bankAccountID}", { bankAccountID: id }),
];
