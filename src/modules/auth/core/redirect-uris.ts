import { type Authority, endsWith } from "./authority.ts";

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
 * changes something else, and writes it back has not chosen the URI. Whoever adds it after it has ended has.
 *
 *     URI is           client gets more                 client does not
 *     new              added by the actor               added by the actor
 *     known            ends unless its maker covers     stays, as whose it is
 */
export function keptRedirectUris({ wanted, known, actor, now, next }: RedirectUriChange): {
  readonly kept: ReadonlyMap<string, Authority>;
  readonly ended: readonly string[];
} {
  const isEnded = (uri: string): boolean => {
    const maker = known.get(uri);
    return maker !== undefined && endsWith({ now, next }, maker);
  };
  const kept = wanted.filter((uri) => !isEnded(uri));
  return {
    kept: new Map(kept.map((uri) => [uri, known.get(uri) ?? actor])),
    ended: wanted.filter(isEnded),
  };
}
