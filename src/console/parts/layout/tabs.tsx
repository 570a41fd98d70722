import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";

/** The row of links to the pages of an object or a place. On a narrow window, it is scrolled so that the open page's link is in view. */
export function Tabs({
  label,
  children,
}: {
  /** What the pages belong to, for screen readers. */
  readonly label: string;
  /** The links, with the class `TAB_CLASS`. */
  readonly children: ReactNode;
}) {
  const row = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    const open = row.current?.querySelector("[aria-current=page]");
    open?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path]);
  return (
    <nav
      ref={row}
      aria-label={label}
      className="flex shrink-0 gap-5 overflow-x-auto border-b border-line px-6 whitespace-nowrap max-sm:px-4"
    >
      {children}
    </nav>
  );
}

/** The class of a link of the row. */
export const TAB_CLASS =
  "-mb-px flex h-9 shrink-0 items-center border-b-2 border-transparent font-medium text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text pointer-coarse:h-11";
