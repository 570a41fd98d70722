import { Link, Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { NewWorkflow } from "./new-workflow.tsx";
import { workflowWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, TABS_CLASS } from "#console/parts/layout/tabs.ts";

/** The frame of the lists of the place, with a tab for each. */
export function WorkflowsFrame() {
  const words = workflowWords();
  return (
    <>
      <PageTitle
        title={words.title}
        actions={may("orchestration:write") ? <NewWorkflow /> : undefined}
      />
      <nav aria-label={words.title} className={TABS_CLASS}>
        <Link to="/workflows" activeOptions={{ exact: true }} className={TAB_CLASS}>
          {words.title}
        </Link>
        <Link to="/workflows/instances" className={TAB_CLASS}>
          {words.instances}
        </Link>
      </nav>
      <Outlet />
    </>
  );
}

/** The way back to the list of workflows. */
export const workflowsCrumb = () => ({
  text: workflowWords().title,
  link: (text: ReactNode) => <Link to="/workflows">{text}</Link>,
});

/** The way back to the list of instances. */
export const instancesCrumb = () => ({
  text: workflowWords().instances,
  link: (text: ReactNode) => <Link to="/workflows/instances">{text}</Link>,
});
