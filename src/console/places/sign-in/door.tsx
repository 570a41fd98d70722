import type { ReactNode } from "react";

/** A page of somebody who is not signed in yet. */
export function Door({
  title,
  intro,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  readonly children: ReactNode;
}) {
  return (
    <main className="flex min-h-dvh items-center justify-center bg-sunken p-4">
      <div className="w-full max-w-sm space-y-5 rounded-xl border border-line bg-canvas p-8">
        <img src={ICON} alt="" className="size-9" />
        <div className="space-y-1">
          <h1 className="text-title font-semibold tracking-tight">{title}</h1>
          <p className="text-muted">{intro}</p>
        </div>
        <div className="flex flex-col gap-3">{children}</div>
      </div>
    </main>
  );
}

const ICON = new URL("../../icon.svg", import.meta.url).href;

/** What was thrown, as an error. */
export const asError = (cause: unknown): Error =>
  cause instanceof Error ? cause : new Error(String(cause));
