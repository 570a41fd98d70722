import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { actionOf, type Destination, type PageKeys, strokeOf } from "./keys.ts";
import { useGo } from "#console/parts/routing/path-link.tsx";

/** The window is loaded when somebody asks for it. */
const KeysDialog = lazy(async () => ({ default: (await import("./keys-dialog.tsx")).KeysDialog }));

const BEGUN_MS = 1500;

/** The keys of every page, and the window that lists them. */
export function PageKeyboard({
  destinations,
  onFind,
}: {
  readonly destinations: readonly Destination[];
  readonly onFind: () => void;
}) {
  const go = useGo();
  const [page, setPage] = useState<PageKeys>();
  const begunAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      const action = actionOf(strokeOf(event), event.timeStamp - begunAt.current < BEGUN_MS);
      begunAt.current = Number.NEGATIVE_INFINITY;
      if (action === undefined) return;
      if (action.kind === "begin") {
        begunAt.current = event.timeStamp;
        return;
      }
      event.preventDefault();
      if (action.kind === "find") onFind();
      if (action.kind === "help") setPage(keysOfPage());
      if (action.kind === "filter") filterOfPage()?.focus();
      const to =
        action.kind === "go" && destinations.find(({ letter }) => letter === action.letter);
      if (to !== false && to !== undefined) go(to.path);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [destinations, go, onFind]);
  return (
    page !== undefined && (
      <Suspense>
        <KeysDialog page={page} destinations={destinations} onClose={() => setPage(undefined)} />
      </Suspense>
    )
  );
}

const filterOfPage = (): HTMLElement | null => document.querySelector("main [data-filter]");

const keysOfPage = (): PageKeys => ({
  hasFilter: filterOfPage() !== null,
  hasList: document.querySelector("main [role=grid]") !== null,
  hasPanel: document.querySelector("main aside") !== null,
});
