import type { ReactNode } from "react";
import { Foreign } from "./address.tsx";

/** The facts of an object: names on the left, values on the right; on a phone, below each other. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2 max-sm:grid-cols-1 max-sm:gap-y-0.5">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="min-w-28 text-muted max-sm:mt-2">
        <Foreign>{name}</Foreign>
      </dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

/** A part of a page with a heading. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="mt-8 first:mt-0">
      <div className="mb-3 flex items-center justify-between gap-4">
        <h2 className="text-section font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
