import type { ReactNode } from "react";

/** The bar above a list: its filters on the left, and what can be done with the list on the right; on a phone, below each other. */
export const ListBar = ({
  actions,
  children,
}: {
  readonly actions: ReactNode;
  readonly children?: ReactNode;
}) => (
  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-6 py-2 max-sm:px-4">
    <div className="flex min-w-48 flex-1 items-center">{children}</div>
    <div className="flex flex-wrap items-center gap-2">{actions}</div>
  </div>
);
