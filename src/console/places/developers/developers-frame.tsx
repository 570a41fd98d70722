import { Link, Navigate, Outlet } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { developerWords } from "./words.ts";
import { buttonClass } from "#console/parts/base/button.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, Tabs } from "#console/parts/layout/tabs.tsx";
import { refusalOf } from "#console/parts/routing/openings.ts";

const TABS = [
  ["requests", "/developers/requests"],
  ["webhooks", "/developers/webhooks"],
  ["events", "/developers/events"],
  ["eventTypes", "/developers/event-types"],
] as const;

/** The frame of the lists of the place: a tab for each, and the way to the API's reference. */
export function DevelopersFrame() {
  const words = developerWords();
  return (
    <>
      <PageTitle
        title={words.title}
        actions={
          <a href="/docs" className={buttonClass("quiet")}>
            <ExternalLink aria-hidden size={14} />
            {words.reference}
          </a>
        }
      />
      <Tabs label={words.title}>
        {tabs().map(([page, path]) => (
          <Link key={page} to={path} className={TAB_CLASS} activeOptions={{ includeSearch: false }}>
            {words.tabs[page]}
          </Link>
        ))}
      </Tabs>
      <Outlet />
    </>
  );
}

/** The first page that the person may open. */
export const FirstPage = () => <Navigate to={tabs()[0]?.[1] ?? "/"} replace />;

const tabs = () => TABS.filter(([, path]) => refusalOf(path) === undefined);

/** The way back to the list of failed requests. */
export const requestsCrumb = () => ({
  text: developerWords().tabs.requests,
  link: (text: ReactNode) => <Link to="/developers/requests">{text}</Link>,
});

/** The way back to the list of endpoints. */
export const webhooksCrumb = () => ({
  text: developerWords().tabs.webhooks,
  link: (text: ReactNode) => <Link to="/developers/webhooks">{text}</Link>,
});
