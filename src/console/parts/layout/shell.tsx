import { Menu as MenuIcon, Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { PersonButton } from "./person-button.tsx";
import { findKeys, Key } from "#console/parts/keys/key.tsx";
import { partWords } from "#console/parts/part-words.ts";

export interface Place {
  readonly id: string;
  readonly label: string;
  readonly icon: ReactNode;
  /** The link of the place around its icon and label. */
  readonly link: (children: ReactNode, className: string) => ReactNode;
}

/** The frame of all pages: places on the left, the page beside them. */
export function Shell({
  places,
  path,
  onFind,
  children,
}: {
  readonly places: readonly Place[];
  /** The path of the page. The menu of a phone closes when it changes. */
  readonly path: string;
  /** Opens the search. */
  readonly onFind: () => void;
  readonly children: ReactNode;
}) {
  const words = partWords();
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === path;
  return (
    <div className="flex h-dvh max-sm:flex-col print:block print:h-auto">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2 focus:shadow-float"
      >
        {words.skip}
      </a>
      <header className="flex h-12 shrink-0 items-center justify-between border-b border-line px-4 sm:hidden print:hidden">
        <Logo />
        <button
          type="button"
          aria-label={words.menu}
          aria-expanded={isOpen}
          onClick={() => setOpenAt(isOpen ? undefined : path)}
          className="flex size-11 items-center justify-center rounded-md text-muted hover:bg-hover"
        >
          <MenuIcon aria-hidden size={18} />
        </button>
      </header>
      <div
        className={`flex w-56 shrink-0 flex-col gap-1 border-r border-line bg-sunken p-3 max-sm:w-full max-sm:border-r-0 max-sm:border-b print:hidden ${isOpen ? "" : "max-sm:hidden"}`}
      >
        <header className="mb-2 px-2 py-1 max-sm:hidden">
          <Logo />
        </header>
        <FindButton onClick={onFind} />
        <nav aria-label={words.menu} className="flex flex-col gap-0.5">
          {places.map(({ id, label, icon, link }) => (
            <span key={id} className="contents">
              {link(
                <>
                  <span aria-hidden className="text-faint">
                    {icon}
                  </span>
                  {label}
                </>,
                PLACE_CLASS,
              )}
            </span>
          ))}
        </nav>
        <div className="mt-auto max-sm:mt-2">
          <PersonButton />
        </div>
      </div>
      <main id="content" className="flex min-h-0 min-w-0 flex-1 flex-col print:block">
        {children}
      </main>
    </div>
  );
}

const FindButton = ({ onClick }: { readonly onClick: () => void }) => (
  <button
    type="button"
    onClick={onClick}
    className="mb-2 flex h-8 items-center justify-between rounded-md border border-line bg-canvas px-2 text-muted hover:text-text pointer-coarse:h-11"
  >
    <span className="flex items-center gap-2.5">
      <Search aria-hidden size={14} />
      {partWords().find}
    </span>
    <Key name={findKeys()} />
  </button>
);

const PLACE_CLASS =
  "flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-muted hover:bg-hover hover:text-text pointer-coarse:h-11 aria-[current=page]:bg-hover aria-[current=page]:text-text";

function Logo() {
  return (
    <span className="flex items-center gap-2 text-section font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" className="size-5" aria-hidden>
        <circle cx="16" cy="16" r="15" fill="var(--color-coin)" />
        <path d="M13 24V8.5h8.2v2.8h-4.9v3.5h4.2v2.7h-4.2V24z" fill="#fffaf0" />
      </svg>
      Florin
    </span>
  );
}
