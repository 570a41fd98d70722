import { useQuery } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { OPEN_CLASSES } from "#console/places/reconciliation/lines/classes.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  matchingKey,
  type MatchingPatch,
} from "#console/places/reconciliation/queries/matchings.ts";
import type { components } from "#openapi";

type Previewed = components["schemas"]["MatchingPreview"];
type PreviewChange = Previewed["matches"];

/** Groups that a list of what is new or goes shows. */
const GROUPS_MAX = 8;

/** What other passes would find: how much would be matched and proposed, what is new, and what would go. */
export function PassesPreview({
  matchingID,
  change: { passes, threshold },
}: {
  readonly matchingID: string;
  readonly change: MatchingPatch;
}) {
  const words = matchingWords().passes;
  const body = {
    ...(passes === undefined ? {} : { passes }),
    ...(threshold === undefined ? {} : { threshold }),
  };
  const { data, error, refetch } = useQuery({
    queryKey: [...matchingKey(matchingID), "preview", body],
    retry: false,
    queryFn: async ({ signal }) =>
      (
        await florin.ask(
          "/api/florin/v1/reconciliation/matchings/{matchingID}/preview",
          { path: { matchingID }, body },
          { signal },
        )
      ).data,
  });
  return (
    <section aria-label={words.previewTitle} className="rounded-md border border-line p-4">
      <h3 className="mb-2 font-semibold">{words.previewTitle}</h3>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <LoadingRows rows={3} />}
      {data !== undefined && (
        <>
          <p className="mb-3 text-muted">
            {words.lookedAt(formatCount(data.lookedAt.lines), data.lookedAt.isAll)}
          </p>
          <div className="grid gap-6 sm:grid-cols-2">
            <Change title={words.wouldMatch} change={data.matches} />
            <Change title={words.wouldPropose} change={data.proposals} />
          </div>
          <OpenLines preview={data} />
        </>
      )}
    </section>
  );
}

function OpenLines({ preview: { open, breaks } }: { readonly preview: Previewed }) {
  const words = matchingWords();
  const classes = OPEN_CLASSES.flatMap((name) => {
    const count = name === "unclassified" ? 0 : (breaks[name] ?? 0);
    return count === 0 ? [] : [`${words.class[name]} ${formatCount(count)}`];
  });
  return (
    <p className="mt-4">
      {words.passes.wouldBeOpen(formatCount(open))}{" "}
      <span className="text-muted">{classes.join(" · ")}</span>
    </p>
  );
}

function Change({ title, change }: { readonly title: string; readonly change: PreviewChange }) {
  const { count, added, vanished } = change;
  return (
    <div>
      <p className="text-note text-muted">{title}</p>
      <p className="figures text-title font-semibold">{formatCount(count)}</p>
      <p className="text-muted">
        {matchingWords().passes.difference(formatCount(added.count), formatCount(vanished.count))}
      </p>
      <GroupList sign="+" groups={added.groups} />
      <GroupList sign="−" groups={vanished.groups} />
    </div>
  );
}

const GroupList = ({
  sign,
  groups,
}: {
  readonly sign: string;
  readonly groups: PreviewChange["added"]["groups"];
}) => (
  <ul className="mt-1 space-y-0.5">
    {groups.slice(0, GROUPS_MAX).map(({ pass, confidence, left, right }) => (
      <li key={`${left.join()} ${right.join()}`} className="flex gap-2">
        <span className="w-3 shrink-0 text-muted">{sign}</span>
        <span className="min-w-0 flex-1 truncate">
          <Foreign>{pass}</Foreign>
        </span>
        <span className="figures text-muted">
          {left.length}:{right.length}
        </span>
        <span className="figures text-muted">{confidence}</span>
      </li>
    ))}
  </ul>
);
