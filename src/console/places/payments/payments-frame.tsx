import { Link, Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { paymentWords } from "./words.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, Tabs } from "#console/parts/layout/tabs.tsx";

/** The frame of the lists of the place: a tab for each list. */
export function PaymentsFrame() {
  const { title, tabs } = paymentWords();
  return (
    <>
      <PageTitle title={title} />
      <Tabs label={title}>
        <Link to="/payments/payments" className={TAB_CLASS}>
          {tabs.payments}
        </Link>
        <Link to="/payments/initiations" className={TAB_CLASS}>
          {tabs.initiations}
        </Link>
        <Link to="/payments/connectors" className={TAB_CLASS}>
          {tabs.connectors}
        </Link>
        <Link to="/payments/accounts" className={TAB_CLASS}>
          {tabs.accounts}
        </Link>
        <Link to="/payments/pools" className={TAB_CLASS}>
          {tabs.pools}
        </Link>
        <Link to="/payments/bank-accounts" className={TAB_CLASS}>
          {tabs.bankAccounts}
        </Link>
        <Link to="/payments/bookings" className={TAB_CLASS}>
          {tabs.bookings}
        </Link>
      </Tabs>
      <Outlet />
    </>
  );
}

/** The words of lists by the last part of their URLs. */
const LISTS = {
  payments: "payments",
  initiations: "initiations",
  connectors: "connectors",
  accounts: "accounts",
  pools: "pools",
  "bank-accounts": "bankAccounts",
  bookings: "bookings",
} as const;

/** The way back to a list of the place. */
export const listCrumb = (list: keyof typeof LISTS) => ({
  text: paymentWords().tabs[LISTS[list]],
  link: (text: ReactNode) => <Link to={`/payments/${list}`}>{text}</Link>,
});
