import { useEffect, useRef } from "react";
import { strokeOf } from "#console/parts/keys/keys.ts";

type Actions = Readonly<Record<string, (() => void) | undefined>>;

/** Time in which a letter after `g` leads to a place, in milliseconds. */
const BEGUN_MS = 1500;

/** Keys of a page that is worked through: none acts while somebody types, in a window, or after `g`. */
export function useDecisionKeys(actions: Actions): void {
  const newest = useRef(actions);
  useEffect(() => {
    newest.current = actions;
  });
  useEffect(() => {
    let begunAt = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent): void => {
      const { key, hasControl, isTyping, isCovered } = strokeOf(event);
      const isAfterG = event.timeStamp - begunAt < BEGUN_MS;
      begunAt = key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (event.defaultPrevented || hasControl || isTyping || isCovered || isAfterG) return;
      const act = newest.current[key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
