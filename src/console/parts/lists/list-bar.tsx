import type { ReactNode } from "react";

/**
 * The bar above a list: its filters on the left, and what can be done with the list on the right. On a phone, filters that are set take a line
 * of their own.
 */
export const ListBar = ({
  actions,
  children,
}: {
  readonly actions: ReactNode;
  readonly children?: ReactNode;
}) => (
  <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1 px-6 py-2 max-sm:px-4">
    <div className="flex min-w-0 flex-auto items-center sm:min-w-48 sm:flex-1">{children}</div>
    <div className="ml-auto flex flex-wrap items-center justify-end gap-2 max-sm:gap-1">
      {actions}
    </div>
  </div>
);
