import { lazy, Suspense, useMemo } from "react";
import { type Flow, type FlowPosting, flowsOf } from "./flows.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount } from "#console/parts/money/asset.ts";
import { partWords } from "#console/parts/part-words.ts";

const FlowPicture = lazy(async () => ({
  default: (await import("./flow-picture.tsx")).FlowPicture,
}));
const CyclePicture = lazy(async () => ({
  default: (await import("./cycle-picture.tsx")).CyclePicture,
}));

/** Most assets that have a picture, and most postings that the list for screen readers has. */
const ASSETS_MAX = 4;
const LISTED_MAX = 100;

/**
 * Who paid whom, and how much: bands from accounts to accounts, as wide as the amounts. Each asset has a picture of its own. Screen readers get
 * the same as a list.
 */
export function MoneyGraph({
  postings,
  center,
}: {
  readonly postings: readonly FlowPosting[];
  /** The account around which the picture is: sources are at its left, and destinations at its right. */
  readonly center?: string;
}) {
  const flows = useMemo(() => flowsOf(postings, center), [postings, center]);
  return (
    // The list is hidden at a place of its own, which would otherwise be below the page and make the window scroll.
    <div className="relative">
      <Pictures flows={flows} />
      <Postings postings={postings} />
    </div>
  );
}

function Pictures({ flows }: { readonly flows: readonly Flow[] }) {
  const more = flows.length - ASSETS_MAX;
  return (
    <div className="flex flex-wrap gap-x-8 gap-y-4">
      {flows.slice(0, ASSETS_MAX).map((flow) => (
        <div key={flow.asset} className="min-w-0 flex-1 basis-72">
          {flows.length > 1 && (
            <p aria-hidden className="foreign mb-1 font-mono text-note text-muted">
              {flow.asset}
            </p>
          )}
          <Suspense fallback={<div style={{ height: HEIGHT_BEFORE_PX }} />}>
            {flow.hasCycle ? <CyclePicture flow={flow} /> : <FlowPicture flow={flow} />}
          </Suspense>
        </div>
      ))}
      {more > 0 && (
        <p aria-hidden className="w-full text-note text-muted">
          {partWords().graph.moreAssets(formatCount(more))}
        </p>
      )}
    </div>
  );
}

/** The height of the place for a picture whose code is not loaded yet, in pixels: that of a picture with two accounts. */
const HEIGHT_BEFORE_PX = 72;

const Postings = ({ postings }: { readonly postings: readonly FlowPosting[] }) => {
  const words = partWords().graph;
  const more = postings.length - LISTED_MAX;
  return (
    <ol className="sr-only" aria-label={words.label}>
      {postings.slice(0, LISTED_MAX).map(({ source, destination, amount, asset }, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- A posting is its place.
        <li key={place}>
          {words.posting(formatAmount(amount, asset, locale), source, destination)}
        </li>
      ))}
      {more > 0 && <li>{words.more(formatCount(more))}</li>}
    </ol>
  );
};
