import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { shortId } from "./names.tsx";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The way back to a list of the place. */
export const listCrumb = (list: "rules" | "alerts" | "policies") => ({
  text: reconciliationWords().tabs[list],
  link: (text: ReactNode) => <Link to={`/reconciliation/${list}`}>{text}</Link>,
});

/** The way back to a rule. Its name is that of the rule once it is known. */
export const ruleCrumb = (id: string, name: string | undefined) => ({
  text: name ?? shortId(id),
  link: (text: ReactNode) => (
    <Link to="/reconciliation/rules/$id" params={{ id }}>
      {text}
    </Link>
  ),
});

/** The way back to a policy. */
export const policyCrumb = (id: string, name: string | undefined) => ({
  text: name ?? shortId(id),
  link: (text: ReactNode) => (
    <Link to="/reconciliation/policies/$id" params={{ id }}>
      {text}
    </Link>
  ),
});
