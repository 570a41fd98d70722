import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isAbsent } from "./moment/compared-balances.tsx";
import { MomentBar, MomentButton } from "./moment/moment-bar.tsx";
import { ledgerQuery } from "./queries.ts";
import { ledgerWords } from "./words.ts";
import { Empty } from "#console/parts/base/states.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, Tabs } from "#console/parts/layout/tabs.tsx";

/** The frame of the pages of a ledger: its name, the moment, and a tab for each page. */
export function LedgerFrame() {
  const words = ledgerWords();
  const { ledger } = useParams({ from: "/ledgers/$ledger" });
  const { error } = useQuery(ledgerQuery(ledger));
  const tabs = [
    ["/ledgers/$ledger/overview", words.overview.title],
    ["/ledgers/$ledger/transactions", words.transactions],
    ["/ledgers/$ledger/accounts", words.accounts],
    ["/ledgers/$ledger/tree", words.tree.title],
    ["/ledgers/$ledger/schema", words.schema.title],
    ["/ledgers/$ledger/logs", words.logs.title],
    ["/ledgers/$ledger/exporters", words.exporters.title],
    ["/ledgers/$ledger/verification", words.verification.title],
  ] as const;
  return (
    <>
      <PageTitle crumbs={[ledgersCrumb()]} title={ledger} actions={<MomentButton />} />
      <Tabs label={ledger}>
        {tabs.map(([to, label]) => (
          <Link
            key={to}
            to={to}
            params={{ ledger }}
            activeOptions={{ includeSearch: false }}
            className={TAB_CLASS}
          >
            {label}
          </Link>
        ))}
      </Tabs>
      {isAbsent(error) ? (
        <Empty title={words.notFound(ledger)}>
          <Link to="/ledgers" className="text-accent hover:underline">
            {words.all}
          </Link>
        </Empty>
      ) : (
        <>
          <MomentBar ledger={ledger} />
          <Outlet />
        </>
      )}
    </>
  );
}

/** The way back to the list of ledgers. */
export const ledgersCrumb = () => ({
  text: ledgerWords().title,
  link: (text: ReactNode) => <Link to="/ledgers">{text}</Link>,
});

/** The way back to a list of a ledger. */
export const listCrumb = (ledger: string, list: "accounts" | "transactions") => ({
  text: ledgerWords()[list],
  link: (text: ReactNode) => (
    <Link to={`/ledgers/$ledger/${list}`} params={{ ledger }}>
      {text}
    </Link>
  ),
});

/** The way back to a ledger. */
export const ledgerCrumb = (ledger: string) => ({
  text: ledger,
  link: (text: ReactNode) => (
    <Link to="/ledgers/$ledger/overview" params={{ ledger }}>
      {text}
    </Link>
  ),
});
