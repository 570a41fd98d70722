import type { ReactNode } from "react";

/** The figures of a page, at most four, side by side. */
export const Figures = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-wrap gap-x-10 gap-y-4">{children}</div>
);

/** A figure with its name. `link` puts the link to the figure's list around it. */
export function Figure({
  name,
  link = (children) => children,
  children,
}: {
  readonly name: string;
  readonly link?: (children: ReactNode) => ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="min-w-24">
      <p className="text-note text-muted">{name}</p>
      <p className="figures text-title font-semibold tracking-tight">{link(children)}</p>
    </div>
  );
}
