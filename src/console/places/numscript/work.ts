import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { exampleOf } from "./examples/examples.ts";
import { readLink } from "./link.ts";
import type { Work } from "./types.ts";
import { SIGNS } from "./variables/signs.ts";
import { allToTyped } from "./variables/values.ts";
import { useDraft } from "#console/parts/forms/use-draft.ts";

const NOTHING: Work = { ledger: "", script: "", values: {} };

/**
 * The script, its values and the ledger. They are kept as a draft; the ledger is in the URL as well. A link to a script or an example replaces
 * the draft once, and leaves the URL, so that a reload shows what was changed since.
 */
export function useWork(): readonly [work: Work, change: (changed: Partial<Work>) => void] {
  const { ledger = "", example, script, vars } = useSearch({ from: "/numscript" });
  const navigate = useNavigate();
  const [draft, setDraft] = useDraft<Work>("numscript", NOTHING);
  useEffect(() => {
    const linked = exampleOf(example) ?? readLink(script, vars);
    if (linked === undefined) return;
    setDraft({ ledger, script: linked.script, values: allToTyped(linked.values, SIGNS) });
    void navigate({ to: "/numscript", search: ledger === "" ? {} : { ledger }, replace: true });
  }, [example, script, vars, ledger, setDraft, navigate]);
  const change = useCallback(
    (changed: Partial<Work>) => {
      const next = ledger === "" ? draft : { ...draft, ledger };
      setDraft({ ...next, ...changed });
      if (changed.ledger === undefined || changed.ledger === ledger) return;
      void navigate({ to: "/numscript", search: { ledger: changed.ledger }, replace: true });
    },
    [draft, ledger, setDraft, navigate],
  );
  return [ledger === "" ? draft : { ...draft, ledger }, change];
}
