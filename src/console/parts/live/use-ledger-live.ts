import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from "react";
import { ledgerStream, type LiveEvent, type LiveState } from "./ledger-stream.ts";

/** Listens to the log of a ledger while the component is shown. `accounts` are addresses and patterns with commas; all by default. */
export function useLedgerLive(
  ledger: string,
  accounts: string | undefined,
  onEvent: (event: LiveEvent) => void,
): LiveState {
  const stream = useMemo(() => ledgerStream(ledger, accounts), [ledger, accounts]);
  const tell = useEffectEvent(onEvent);
  useEffect(() => stream.listen((event) => tell(event)), [stream]);
  return useSyncExternalStore(stream.watch, stream.state);
}

/** Least time between two reads that follow writes, in milliseconds. */
const REFRESH_MS = 2000;

/**
 * Reads queries anew when something is written that concerns the accounts, at most every two seconds. Each key is the beginning of the keys of
 * queries, and only those that are shown are read.
 */
export function useRefreshOnWrites(
  ledger: string,
  accounts: string | undefined,
  keys: readonly QueryKey[],
): LiveState {
  const queries = useQueryClient();
  const refresh = useEffectEvent(() => {
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
  });
  const throttled = useMemo(() => throttle(REFRESH_MS), []);
  useEffect(() => throttled.cancel, [throttled]);
  return useLedgerLive(ledger, accounts, () => throttled.run(() => refresh()));
}

/** Runs a function at once, and again at the end of a time in which it was asked for once more. */
export function throttle(ms: number): {
  readonly run: (work: () => void) => void;
  readonly cancel: () => void;
} {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let next: (() => void) | undefined;
  const tick = (): void => {
    const work = next;
    next = undefined;
    timer = work === undefined ? undefined : setTimeout(tick, ms);
    work?.();
  };
  return {
    run: (work) => {
      next = work;
      if (timer === undefined) tick();
    },
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
      next = undefined;
    },
  };
}
