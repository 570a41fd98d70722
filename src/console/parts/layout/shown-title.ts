import { useSyncExternalStore } from "react";
import { visible } from "#console/parts/language/visible.ts";

/** The title of a page, and the path of the window for which the page has set it. */
export interface ShownTitle {
  readonly path: string;
  readonly title: string;
}

let shown: ShownTitle | undefined;
const listeners = new Set<() => void>();

/** Gives the window the title of its page. */
export function showTitle(title: string): void {
  document.title = `${visible(title)} · Florin`;
  shown = { path: location.pathname, title };
  for (const listener of listeners) listener();
}

/** The title that a page has set last, which may be that of the page before; undefined before the first one. */
export const useShownTitle = (): ShownTitle | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
