import { useCallback, useEffect, useRef, useState } from "react";
import type { Page } from "./pages.ts";

/** A list that is read page by page, of which only a sum is kept. */
export interface PageSum<Row, Sum> {
  readonly readPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>;
  readonly start: Sum;
  readonly add: (sum: Sum, rows: readonly Row[]) => Sum;
  /** Pages that are read at once, and by each call of `readOn`. */
  readonly pages: { readonly first: number; readonly more: number };
}

interface Progress<Sum> {
  readonly sum: Sum;
  /** The cursor of the next page; undefined before the first one. */
  readonly next: string | undefined;
  readonly isComplete: boolean;
}

/** Sums a list as it is read. The object must stay the same while the component is shown: another list needs another `key`. */
export function usePageSum<Row, Sum>({ readPage, start, add, pages }: PageSum<Row, Sum>) {
  const [progress, setProgress] = useState<Progress<Sum>>({
    sum: start,
    next: undefined,
    isComplete: false,
  });
  const [isReading, setReading] = useState(pages.first > 0);
  const [error, setError] = useState<Error>();
  const position = useRef(progress);
  const running = useRef<AbortController>(undefined);
  const read = useCallback(
    async (count: number) => {
      const controller = new AbortController();
      running.current?.abort();
      running.current = controller;
      try {
        for (let page = 0; page < count && !position.current.isComplete; page++) {
          const { rows, next } = await readPage(position.current.next, controller.signal);
          if (controller.signal.aborted) return;
          const sum = add(position.current.sum, rows);
          position.current = { sum, next, isComplete: next === undefined };
          setProgress(position.current);
        }
      } catch (problem) {
        if (!controller.signal.aborted)
          setError(problem instanceof Error ? problem : new Error(String(problem)));
      } finally {
        if (running.current === controller) setReading(false);
      }
    },
    [readPage, add],
  );
  useEffect(() => {
    void read(pages.first);
    return () => running.current?.abort();
  }, [read, pages.first]);
  const stop = (): void => {
    running.current?.abort();
    setReading(false);
  };
  const readOn = (): void => {
    setError(undefined);
    setReading(true);
    void read(pages.more);
  };
  const { sum, isComplete } = progress;
  return { sum, isReading, isComplete, error, readOn, stop };
}
