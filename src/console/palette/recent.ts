import type { Hit } from "./hits.ts";
import { session } from "#console/api/florin.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Objects that are kept. */
const RECENT_MAX = 8;

/** Pages of objects: the last part of the path names them until the page does; what is found in it tells them from others of that name. */
const OBJECT_PATHS: readonly RegExp[] = [
  /^\/ledgers\/([^/]+)\/(?:transactions|accounts)\/[^/]+$/,
  /^\/ledgers\/[^/]+(?=\/(?:overview|transactions)$)/,
  /^\/payments\/(?:payments|accounts|initiations|connectors|pools|bank-accounts|bookings)\/[^/]+$/,
  /^\/wallets\/[^/]+$/,
  /^\/reconciliation\/(?:rules|evaluations|alerts|policies|reconciliations|sources|matchings)\/[^/]+$/,
  /^\/workflows\/(?:instances|triggers)\/[^/]+$/,
  /^\/workflows\/(?!instances$|triggers$)[^/]+$/,
  /^\/developers\/(?:requests|webhooks)\/[^/]+$/,
  /^\/access\/(?:clients|people)\/[^/]+$/,
];

/** The object whose page has a path; undefined for pages that are no object's. */
export function objectAt(path: string): Hit | undefined {
  for (const pattern of OBJECT_PATHS) {
    const [found, note] = pattern.exec(path) ?? [];
    const title =
      found === undefined ? undefined : decoded(found.slice(found.lastIndexOf("/") + 1));
    if (found !== undefined && title !== undefined)
      return { path: found, title, ...(note === undefined ? {} : { note: decoded(note) ?? note }) };
  }
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The list with an object that was opened now. It keeps the title that it had, unless its page names it. */
export function withOpened(
  before: readonly Hit[],
  opened: Hit,
  pageTitle?: string,
): readonly Hit[] {
  const known = before.find(({ path }) => path === opened.path) ?? opened;
  const others = before.filter(({ path }) => path !== opened.path);
  const named = pageTitle === undefined ? known : { ...opened, title: pageTitle };
  return [named, ...others].slice(0, RECENT_MAX);
}

/** The objects that the person has opened in this tab, the last one first. */
export function recentHits(): readonly Hit[] {
  try {
    return parseJson(sessionStorage.getItem(key()) ?? "[]") as readonly Hit[]; // `remember` has stored it.
  } catch {
    return [];
  }
}

/** Keeps an object that was opened, under the title of its page where that is known. */
export function remember(hit: Hit, pageTitle?: string): void {
  sessionStorage.setItem(key(), stringifyJson(withOpened(recentHits(), hit, pageTitle)));
}

/** The lists of two people at one browser are two. */
const key = (): string =>
  `florin-recent:${session.state.kind === "person" ? session.state.grant.subject : ""}`;
