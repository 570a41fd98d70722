/** The row of links to the pages of an object or a place. */
export const TABS_CLASS =
  "flex gap-5 overflow-x-auto border-b border-line px-6 whitespace-nowrap max-sm:px-4";

/** A link of the row. */
export const TAB_CLASS =
  "-mb-px flex h-9 shrink-0 items-center border-b-2 border-transparent font-medium text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text pointer-coarse:h-11";
