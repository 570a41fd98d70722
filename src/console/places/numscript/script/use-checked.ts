import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { checkQuery, type Report } from "#console/places/numscript/queries.ts";
import type { Variable } from "#console/places/numscript/variables/values.ts";

/** Time without a key after which a script is checked, in milliseconds. The editor waits as long. */
const CHECK_AFTER_MS = 250;

/** What the check knows of a script. */
export interface Checked {
  /** The script that was checked. The newest one may still be checked. */
  readonly script: string;
  readonly report: Report | undefined;
  readonly error: Error | null;
  /** Whether the newest script was checked, or cannot be. */
  readonly isCurrent: boolean;
  /** The variables that the person fills in, in the order of the script. */
  readonly variables: readonly Variable[];
}

/** Checks a script after each change. Until the check answers, the answer before it stays. */
export function useChecked(script: string): Checked {
  const [settled, setSettled] = useState(script);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(script), CHECK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [script]);
  const { data, error, isPlaceholderData } = useQuery({
    ...checkQuery(settled),
    enabled: settled.trim() !== "",
    placeholderData: (before) => before,
  });
  const report = settled.trim() === "" ? undefined : data;
  return {
    script: settled,
    report: isPlaceholderData ? undefined : report,
    error,
    isCurrent:
      settled === script && (error !== null || (report !== undefined && !isPlaceholderData)),
    variables: Object.entries(report?.neededVariables ?? {}).map(([name, type]) => ({
      name,
      type,
    })),
  };
}
