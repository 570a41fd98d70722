import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useCallback, useMemo } from "react";
import { groupColumns } from "./columns.tsx";
import { GroupView } from "./group-view.tsx";
import { toWire } from "#console/api/client.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Choice } from "#console/parts/base/choice.tsx";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListFrame } from "#console/parts/lists/list-page.tsx";
import { List } from "#console/parts/table/list.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  type GroupFilter,
  groupsQuery,
  type GroupState,
} from "#console/places/reconciliation/queries/groups.ts";
import { matchingQuery } from "#console/places/reconciliation/queries/matchings.ts";

const ROUTE = "/reconciliation/matchings/$id/groups";
/** What is shown: groups of one state, or all. Proposals come first, because they wait for people. */
const SHOWN = ["proposed", "matched", "declined", "broken", "all"] as const;
type Shown = (typeof SHOWN)[number];

/**
 * The matches and proposals of a matching, and beside the list the open one with its two columns. Proposals are worked through one after the
 * other: a decision opens the next one.
 *
 *     proposals  matched  …                      code
 *     list │ Proposal 12: confidence, evidence
 *          │ left lines   │   right lines
 *          │ note                 decline  confirm
 */
export function GroupsPage() {
  const { id } = useParams({ from: ROUTE });
  const words = matchingWords();
  const { filter, open, isChosen, go, bar } = useGroupSearch(id);
  const query = groupsQuery(id, filter);
  const { data } = useInfiniteQuery(query);
  const columns = useMemo(() => groupColumns(), []);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const shown = open ?? rows[0]?.id;
  const next = (step: number): number | undefined => {
    const place = rows.findIndex((row) => row.id === shown);
    return rows[place + step]?.id;
  };
  return (
    <ListFrame
      figures={bar}
      actions={
        <AsCode
          requests={[
            toWire("get", "/api/florin/v1/reconciliation/matchings/{matchingID}/groups", {
              path: { matchingID: id },
              query: { ...filter },
            }),
          ]}
        />
      }
    >
      <div className="flex min-h-0 flex-1 border-t border-line">
        <div
          className={`flex w-80 min-w-0 shrink-0 flex-col border-line max-lg:w-full lg:border-r ${isChosen ? "max-lg:hidden" : ""}`}
        >
          <List
            label={words.tabs.groups}
            query={query}
            columns={columns}
            idOf={(row) => String(row.id)}
            onOpen={(row) => go(row.id)}
            openId={String(shown ?? "")}
            empty={<Empty title={words.noGroups[filter.state ?? "all"]} />}
          />
        </div>
        <div className={`min-w-0 flex-1 overflow-y-auto ${isChosen ? "" : "max-lg:hidden"}`}>
          <Button kind="quiet" className="m-2 lg:hidden" onClick={() => go(undefined)}>
            <ArrowLeft aria-hidden size={14} />
            {words.backToList}
          </Button>
          {shown !== undefined && (
            <GroupView
              key={shown}
              matchingID={id}
              groupID={shown}
              onMove={(step) => {
                const to = next(step);
                if (to !== undefined) go(to);
              }}
              onDecided={() => go(isChosen ? (next(1) ?? next(-1)) : undefined)}
            />
          )}
        </div>
      </div>
    </ListFrame>
  );
}

/** What the URL says: the filters and the open group, with the bar that changes them. */
function useGroupSearch(id: string) {
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const fields = useFields(id);
  const values = valuesIn(search, fields);
  const shown = SHOWN.find((each) => each === search.state) ?? "proposed";
  const words = matchingWords();
  const { pass, run } = values;
  const filter: GroupFilter = {
    state: shown === "all" ? undefined : (shown satisfies GroupState),
    pass,
    run: run === undefined ? undefined : Number(run),
  };
  const set = useCallback(
    (next: Readonly<Record<string, string>>): void =>
      void navigate({ to: ROUTE, params: { id }, search: next, replace: true }),
    [navigate, id],
  );
  const kept = { ...values, state: shown };
  return {
    filter,
    open: /^\d{1,15}$/.test(search.open ?? "") ? Number(search.open) : undefined,
    isChosen: search.open !== undefined,
    go: (group: number | undefined) =>
      set(group === undefined ? kept : { ...kept, open: String(group) }),
    bar: (
      <div className="flex min-w-0 flex-wrap items-center gap-3">
        <Choice<Shown>
          label={words.shownLabel}
          options={SHOWN.map((each) => [each, words.shown[each]] as const)}
          chosen={shown}
          onChoose={(state) => set({ ...values, state })}
        />
        <FilterBar
          fields={fields}
          values={values}
          onChange={(next) => set({ ...next, state: shown })}
        />
      </div>
    ),
  };
}

/** Groups are filtered by the pass that has made them, and by the run. */
function useFields(id: string): readonly FilterField[] {
  const { data } = useQuery(matchingQuery(id));
  const { fields } = matchingWords();
  return useMemo(
    () => [
      {
        id: "pass",
        label: fields.pass,
        example: "amount and date",
        choices: (data?.passes ?? []).map(({ name }) => ({ value: name, label: name })),
      },
      {
        id: "run",
        label: fields.run,
        example: "3",
        accepts: (text: string) => /^\d{1,15}$/.test(text),
      },
    ],
    [data, fields],
  );
}
