import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { HandSums } from "./hand-sums.tsx";
import { HAND_LINES_MAX, idsIn, sumsOf, textOf, toggled } from "./selection.ts";
import { SideLines } from "./side-lines.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { lineQuery } from "#console/places/reconciliation/queries/groups.ts";
import {
  matchingQuery,
  type MatchingSide,
} from "#console/places/reconciliation/queries/matchings.ts";

const ROUTE = "/reconciliation/matchings/$id/hand";

/**
 * Lines of both sides that nobody has matched, to be chosen and matched by hand. The URL has the chosen ones.
 *
 *     left 2 lines €12.00   right 1 line €12.00   difference €0.00        [Match]
 *     left lines           │ right lines
 */
export function HandPage() {
  const { id } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const { data: matching } = useQuery(matchingQuery(id));
  const chosen = { left: idsIn(search.left), right: idsIn(search.right) };
  const answers = useQueries({
    queries: [...chosen.left, ...chosen.right].map((line) => lineQuery(id, line)),
  });
  const lines = answers.flatMap(({ data }) => data ?? []);
  const set = (next: Readonly<Record<string, string | undefined>>): void =>
    void navigate({
      to: ROUTE,
      params: { id },
      search: { ...search, ...next },
      replace: true,
    });
  const toggle = (side: MatchingSide, line: number): void => {
    const next = toggled(chosen[side], line);
    if (next.length <= HAND_LINES_MAX) set({ [side]: textOf(next) });
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <HandSums
        matchingID={id}
        chosen={chosen}
        sums={sumsOf(lines)}
        isKnown={lines.length === answers.length}
        onClear={() => set({ left: undefined, right: undefined })}
      />
      <div className="grid min-h-0 flex-1 md:grid-cols-2 max-md:grid-rows-2">
        {(["left", "right"] as const).map((side) => (
          <SideLines
            key={side}
            matchingID={id}
            side={side}
            source={side === "left" ? matching?.leftSourceID : matching?.rightSourceID}
            chosen={chosen[side]}
            q={search[QUERY[side]] ?? ""}
            onToggle={(line) => toggle(side, line)}
            onFind={(q) => set({ [QUERY[side]]: q === "" ? undefined : q })}
          />
        ))}
      </div>
      <p className="sr-only" aria-live="polite">
        {matchingWords().chosen(String(chosen.left.length), String(chosen.right.length))}
      </p>
    </div>
  );
}

/** The search parameters of the references that are looked for. */
const QUERY = { left: "leftQ", right: "rightQ" } as const;
