import { ChevronRight } from "lucide-react";
import { Fragment, type ReactNode, useEffect } from "react";
import { showTitle } from "./shown-title.ts";
import { Breakable, Foreign } from "#console/parts/base/address.tsx";
import { visible } from "#console/parts/language/visible.ts";

export interface Crumb {
  readonly text: string;
  /** A link that goes there, around the text. */
  readonly link: (text: ReactNode) => ReactNode;
}

/** The top of a page: where it is, its title, and what can be done. */
export function PageTitle({
  crumbs = [],
  title,
  isCode = false,
  actions,
}: {
  readonly crumbs?: readonly Crumb[];
  readonly title: string;
  /** Whether the title is an address or id. */
  readonly isCode?: boolean;
  readonly actions?: ReactNode;
}) {
  useEffect(() => showTitle(title), [title]);
  return (
    <header className="flex min-h-14 flex-wrap items-center justify-between gap-x-4 gap-y-2 px-6 py-3 max-sm:px-4">
      <div className="flex min-w-0 flex-wrap items-center gap-1.5">
        {crumbs.map(({ text, link }) => (
          <Fragment key={text}>
            <span className="foreign text-muted hover:text-text">
              {link(<Foreign>{text}</Foreign>)}
            </span>
            <ChevronRight aria-hidden size={14} className="text-faint" />
          </Fragment>
        ))}
        <h1
          className={`foreign font-semibold ${isCode ? "font-mono text-section" : "text-title tracking-tight"}`}
          dir="auto"
        >
          <Breakable text={visible(title)} />
        </h1>
      </div>
      {actions !== undefined && (
        // The first action has no frame. Below the title, its text or icon begins where the title does.
        <div className="flex flex-wrap items-center gap-2 max-sm:[&>:first-child]:-ml-3">
          {actions}
        </div>
      )}
    </header>
  );
}
