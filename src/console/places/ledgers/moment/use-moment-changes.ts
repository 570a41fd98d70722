import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import type { Moments } from "#console/places/ledgers/time/moments.ts";

/** Changes the moments of the page that is shown. An undefined one becomes now. */
export function useMomentChanges(): (changes: Moments) => void {
  const navigate = useNavigate();
  return useCallback(
    (changes) =>
      void navigate({
        to: ".",
        search: (before) => ({ ...before, ...changes }),
        replace: true,
      }),
    [navigate],
  );
}
