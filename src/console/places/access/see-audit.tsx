import { Link } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import { accessWords } from "./words.ts";
import { buttonClass } from "#console/parts/base/button.tsx";

/** The way to what a person or a client has changed. */
export const SeeAudit = ({ subject }: { readonly subject: string }) => (
  <Link to="/access/audit" search={{ subject }} className={buttonClass("quiet")}>
    <ScrollText aria-hidden size={14} />
    {accessWords().seeAudit}
  </Link>
);
