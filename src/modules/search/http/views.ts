import type { z } from "@hono/zod-openapi";
import type { SearchResponse, SearchStateResponse } from "./schemas.ts";
import { isKind } from "#modules/search/core/kinds.ts";
import type { Origin } from "#modules/search/engine/search-index.ts";
import type { SearchPage } from "#modules/search/query/search.ts";
import type { SearchState } from "#modules/search/query/state.ts";
import type { IndexState } from "#modules/search/shards/shard.ts";
import { formatTimestamp, fromMillis, type Timestamp } from "#platform/time.ts";

export const toPageView = ({
  data,
  next = "",
  ...page
}: SearchPage): z.input<typeof SearchResponse> => ({
  cursor: { ...page, next, data: [...data] },
});

export const toStateView = ({
  isOn,
  shards,
  gaps,
}: SearchState): z.input<typeof SearchStateResponse> => ({
  enabled: isOn,
  shards: shards.map(({ shard, bytes, serving, building }) => ({
    shard,
    bytes,
    ...(serving === undefined ? {} : { serving: toIndexView(serving) }),
    ...(building === undefined ? {} : { building: toIndexView(building) }),
  })),
  gaps: gaps.map(({ origin, ledger, since, reason }) => ({
    origin: ledger === "" ? origin : ledger,
    since: formatTimestamp(since as Timestamp), // the column of dates
    reason,
  })),
});

const toIndexView = ({ sinceMs, behind, ...state }: IndexState) => ({
  ...state,
  since: formatTimestamp(fromMillis(sinceMs)),
  behind: behind.map(toBehindView),
});

function toBehindView({ key, name, position, target, behindMs, failure }: Origin) {
  const isList = isKind(key);
  return {
    origin: isList ? key : name,
    ...(isList ? {} : { position, target }),
    ...(behindMs === null ? {} : { since: formatTimestamp(fromMillis(behindMs)) }),
    reason: failure ?? (isList ? "its list is being read" : "its log is being read"),
  };
}
