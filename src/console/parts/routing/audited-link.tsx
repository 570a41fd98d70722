import type { ReactNode } from "react";
import { pathOfObject } from "./object-path.ts";
import { refusalOf } from "./openings.ts";
import { PathLink } from "./path-link.tsx";

/** An object as the audit names it, such as `clients/42`: a link to its page, where it has one that the person may open. */
export function AuditedLink({
  object,
  children,
}: {
  readonly object: string;
  readonly children: ReactNode;
}) {
  const path = pathOfObject(object);
  if (path === undefined || refusalOf(path) !== undefined) return children;
  return (
    <PathLink to={path} className="rounded-sm text-accent hover:underline">
      {children}
    </PathLink>
  );
}
