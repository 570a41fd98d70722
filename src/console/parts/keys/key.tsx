/** A key of the keyboard. */
export const Key = ({ name }: { readonly name: string }) => (
  <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line-strong bg-sunken px-1 font-sans text-note whitespace-nowrap text-muted">
    {name}
  </kbd>
);

/** The keys of the search, as this computer writes them. */
export const findKeys = (): string => (/Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K");
