import { useCallback, useEffect, useState } from "react";
import { parseJson, stringifyJson } from "#platform/json.ts";

const PREFIX = "florin-draft:";

/**
 * The values of a form, which outlive the page until the tab is closed: a reload, a lost session and a click on a link lose nothing that was
 * typed. `clear` forgets them after the write. Secrets don't belong into drafts.
 */
export function useDraft<T>(
  key: string,
  initial: T,
): readonly [value: T, change: (value: T) => void, clear: () => void] {
  const [value, setValue] = useState<T>(() => (read(key) as T | undefined) ?? initial); // The page stored it under this key.
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (isChanged) sessionStorage.setItem(PREFIX + key, stringifyJson(value));
  }, [key, value, isChanged]);
  const change = useCallback((next: T) => {
    setChanged(true);
    setValue(next);
  }, []);
  const clear = useCallback(() => {
    setChanged(false);
    sessionStorage.removeItem(PREFIX + key);
  }, [key]);
  return [value, change, clear];
}

/** The stored values; undefined if there are none, or if another version of the page wrote what cannot be read. */
function read(key: string): unknown {
  try {
    return parseJson(sessionStorage.getItem(PREFIX + key) ?? "");
  } catch {
    return undefined;
  }
}
