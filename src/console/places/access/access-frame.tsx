import { Link, Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { accessWords } from "./words.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, Tabs } from "#console/parts/layout/tabs.tsx";

/** The frame of the lists of the place: clients, people, audit. */
export function AccessFrame() {
  const words = accessWords();
  return (
    <>
      <PageTitle title={words.title} />
      <Tabs label={words.title}>
        {(["people", "clients", "audit"] as const).map((page) => (
          <Link
            key={page}
            to={`/access/${page}`}
            className={TAB_CLASS}
            activeOptions={{ includeSearch: false }}
          >
            {words.tabs[page]}
          </Link>
        ))}
      </Tabs>
      <Outlet />
    </>
  );
}

/** The way back to the list of clients. */
export const clientsCrumb = () => ({
  text: accessWords().tabs.clients,
  link: (text: ReactNode) => <Link to="/access/clients">{text}</Link>,
});

/** The way back to the list of people. */
export const peopleCrumb = () => ({
  text: accessWords().tabs.people,
  link: (text: ReactNode) => <Link to="/access/people">{text}</Link>,
});
