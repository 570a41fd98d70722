import { type Authority, endsWith } from "./authority.ts";

/** A change of a client, as far as its redirect URIs are concerned. */
export interface RedirectUriChange {
  /** The redirect URIs that the change asks for. */
  readonly wanted: readonly string[];
  /** The redirect URIs that the client has, each with the authority of its maker. */
  readonly known: ReadonlyMap<string, Authority>;
  readonly actor: Authority;
  readonly now: Authority;
  readonly next: Authority;
}

/**
 * The redirect URIs that a client has after a change, with their makers, and those that end. Codes for the client's authority go
 * to these URIs. When the client gets more authority, a URI of a weaker maker ends, even if the request repeats it: a request
 * that reads the client, changes another field and writes everything back has not chosen the URI. A request that adds the URI
 * again later has.
 *
 *     URI is           client gets more authority              otherwise
 *     new              added, its maker is the actor           added, its maker is the actor
 *     known            ends unless its maker covers `next`     stays, with its maker
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
