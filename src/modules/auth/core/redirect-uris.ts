import { type Authority, covers, endsWith } from "./authority.ts";

/** What a change does with a client's redirect URIs. */
export interface RedirectUriChange {
  /** Those that are asked for. */
  readonly wanted: readonly string[];
  /** Those that the client has, with what whoever has added each could do. */
  readonly known: ReadonlyMap<string, Authority>;
  readonly actor: Authority;
  readonly now: Authority;
  readonly next: Authority;
}

/**
 * The redirect URIs that a client has after a change, with their makers, and those that end with it. Codes for what the client may do
 * go to these URIs, so that one that somebody weaker has added does not stay when the client is given more: whoever reads the client,
 * adds a scope, and writes it back has not chosen the URI. Whoever names it once more after that has.
 *
 *     URI is           client gets more                 client does not
 *     new              added by the actor               added by the actor
 *     known            ends unless its maker covers     stays; counts as the actor's where that one may do more
 */
export function keptRedirectUris({ wanted, known, actor, now, next }: RedirectUriChange): {
  readonly kept: ReadonlyMap<string, Authority>;
  readonly ended: readonly string[];
} {
  const isEnded = (uri: string): boolean => {
    const maker = known.get(uri);
    return maker !== undefined && endsWith({ now, next }, maker);
  };
  const makerOf = (uri: string): Authority => {
    const maker = known.get(uri);
    return maker === undefined || covers(actor, maker) ? actor : maker;
  };
  return {
    kept: new Map(wanted.filter((uri) => !isEnded(uri)).map((uri) => [uri, makerOf(uri)])),
    ended: wanted.filter(isEnded),
  };
}
