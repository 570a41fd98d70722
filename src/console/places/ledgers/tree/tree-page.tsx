import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { Level, TRACKS } from "./level.tsx";
import { levelQuery, sumQuery } from "./queries.ts";
import { onTreeKey } from "./tree-keys.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { ListBar } from "#console/parts/lists/list-bar.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { treeRequests } from "#console/places/ledgers/requests.ts";
import { useMoments } from "#console/places/ledgers/time/moments.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** Segments of the first level whose assets are offered. */
const ASKED_FOR_ASSETS = 20;

/** The accounts of a ledger as a tree of the segments of their addresses, with the sums below each segment. */
export function TreePage() {
  const { ledger } = useParams({ from: "/ledgers/$ledger/tree" });
  const { open: openText, asset } = useSearch({ from: "/ledgers/$ledger/tree" });
  const { at, compare } = useMoments();
  const navigate = useNavigate();
  const [current, setCurrent] = useState<string>();
  const open = useMemo(() => new Set(openText?.split(",")), [openText]);
  const show = useCallback(
    (nextOpen: ReadonlySet<string>, nextAsset: string | undefined) =>
      void navigate({
        to: "/ledgers/$ledger/tree",
        params: { ledger },
        search: {
          ...(nextOpen.size === 0 ? {} : { open: [...nextOpen].join(",") }),
          ...(nextAsset === undefined ? {} : { asset: nextAsset }),
        },
        replace: true,
      }),
    [navigate, ledger],
  );
  const onToggle = useCallback(
    (address: string, isOpen: boolean) => show(toggled(open, address, isOpen), asset),
    [show, open, asset],
  );
  const openAccount = (address: string): void =>
    void navigate({ to: "/ledgers/$ledger/accounts/$address", params: { ledger, address } });
  const { assets, isEmpty } = useFirstLevel(ledger, at);
  const shownAsset = asset ?? (compare === undefined ? undefined : assets[0]);
  const view = {
    ledger,
    at,
    compare,
    asset: shownAsset,
    open,
    current,
    onFocus: setCurrent,
    onToggle,
  };
  if (isEmpty) return <Empty title={emptyTitle(at)} />;
  return (
    <>
      <ListBar actions={<AsCode requests={treeRequests(ledger, at)} />}>
        <AssetChoice
          assets={assets}
          isCompared={compare !== undefined}
          chosen={shownAsset}
          onChoose={(next) => show(open, next)}
        />
      </ListBar>
      <div
        role="treegrid"
        tabIndex={-1}
        aria-label={ledgerWords().tree.title}
        onKeyDown={(event) => onTreeKey(event, { toggle: onToggle, open: openAccount })}
        className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto"
      >
        <Header at={at} compare={compare} />
        <Level view={view} prefix="" depth={1} />
      </div>
    </>
  );
}

function emptyTitle(at: string | undefined): string {
  const words = ledgerWords();
  return at === undefined ? words.noAccounts : words.moment.noAccounts;
}

/** The choice of the first asset of each segment, beside the assets. */
const FIRST_OF_EACH = "";

/** The assets to choose from. Two moments are compared in one asset. */
const choicesOf = (
  assets: readonly string[],
  isCompared: boolean,
): readonly (readonly [string, string])[] => [
  ...(isCompared ? [] : [[FIRST_OF_EACH, ledgerWords().tree.firstAsset] as const]),
  ...assets.map((name) => [name, name] as const),
];

function AssetChoice({
  assets,
  isCompared,
  chosen,
  onChoose,
}: {
  readonly assets: readonly string[];
  readonly isCompared: boolean;
  readonly chosen: string | undefined;
  readonly onChoose: (asset: string | undefined) => void;
}) {
  if (assets.length < 2) return <span />;
  return (
    <div className="flex min-w-0 overflow-x-auto">
      <Choice
        label={ledgerWords().tree.asset}
        options={choicesOf(assets, isCompared)}
        chosen={chosen ?? FIRST_OF_EACH}
        onChoose={(next) => onChoose(next === FIRST_OF_EACH ? undefined : next)}
      />
    </div>
  );
}

function Header({
  at,
  compare,
}: {
  readonly at: string | undefined;
  readonly compare: string | undefined;
}) {
  const words = ledgerWords().tree;
  const isCompared = compare !== undefined;
  return (
    <div
      role="row"
      className={`sticky top-0 z-10 grid h-8 items-center gap-4 border-b border-line bg-canvas px-6 text-note text-muted max-sm:px-4 ${TRACKS[isCompared ? "compared" : "single"]}`}
    >
      <div role="columnheader">{words.segment}</div>
      <div role="columnheader" className="text-right max-sm:hidden">
        {words.accounts}
      </div>
      {isCompared && (
        <div role="columnheader" className="truncate text-right max-sm:hidden">
          <Moment at={compare} />
        </div>
      )}
      <div role="columnheader" className="truncate text-right">
        {isCompared && at !== undefined ? <Moment at={at} /> : words.balance}
      </div>
      {isCompared && (
        <div role="columnheader" className="text-right">
          {words.difference}
        </div>
      )}
    </div>
  );
}

/** The assets of the first segments, whose sums the page reads anyway, and whether there is no account at all. */
function useFirstLevel(ledger: string, at: string | undefined) {
  const { data, hasNextPage } = useInfiniteQuery(levelQuery(ledger, "", at));
  const segments = data?.pages.flatMap(({ rows }) => rows) ?? [];
  const assets = useQueries({
    queries: segments
      .slice(0, ASKED_FOR_ASSETS)
      .map(({ address }) => ({ ...sumQuery(ledger, address, at), enabled: false })),
    combine: (results) => [
      ...new Set(results.flatMap(({ data: sum }) => Object.keys(sum?.balances ?? {}))),
    ],
  });
  return {
    assets: assets.toSorted(),
    isEmpty: data !== undefined && segments.length === 0 && !hasNextPage,
  };
}

/** The open segments after one of them opens or closes. A segment that closes takes those below it with it. */
export function toggled(
  open: ReadonlySet<string>,
  address: string,
  isOpen: boolean,
): ReadonlySet<string> {
  if (isOpen) return new Set([...open, address]);
  return new Set(
    [...open].filter((other) => other !== address && !other.startsWith(`${address}:`)),
  );
}
