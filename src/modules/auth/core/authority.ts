import { mayHave, STANDARD_SCOPES } from "./scopes.ts";
import { coversLedgers, commonPatterns } from "#platform/access/ledger-patterns.ts";

/**
 * The permissions of a client or a person that somebody else could take over.
 *
 *                 scopes ⊆      hasAll ⇒      ledgers ⊆      isTrusted ⇒
 *     wanted  ──────────────────────────────────────────────────────────►  holder      `covers(holder, wanted)`
 *
 * This is the attenuation of capability systems (Miller, "Robust Composition", 2006): an authority that somebody passes on or
 * obtains is covered by their own.
 */
export interface Authority {
  /** The scopes that were given by name. With `hasAll`, they are the scopes of other servers, too. */
  readonly scopes: readonly string[];
  /** Whether the authority has all scopes of the modules, including those that a later release adds. */
  readonly hasAll: boolean;
  /** Patterns of the only ledgers that the authority reaches; empty for all. */
  readonly ledgers: readonly string[];
  /** Whether the client may introspect the tokens of other clients. */
  readonly isTrusted: boolean;
}

/** The authority of an administrator. */
export const FULL_AUTHORITY: Authority = {
  scopes: [],
  hasAll: true,
  ledgers: [],
  isTrusted: true,
};

/** The authority of somebody who is gone. The empty `ledgers` do no harm, because nothing may be done without a scope. */
export const NO_AUTHORITY: Authority = { scopes: [], hasAll: false, ledgers: [], isTrusted: false };

/** Whether an authority has all scopes and is bound to no ledgers. It then covers every other authority. */
export const isFull = ({ hasAll, ledgers }: Authority): boolean => hasAll && ledgers.length === 0;

/** Whether scopes include all scopes of the modules. A scope `:write` includes `:read`. */
export const areAll = (scopes: readonly string[], ofModules: readonly string[]): boolean =>
  ofModules.every((scope) => mayHave(scopes, scope));

/** The scopes of an authority by name: the given ones and, with `hasAll`, the present scopes of the modules behind them. */
export const scopesOfAuthority = (
  { scopes, hasAll }: Pick<Authority, "scopes" | "hasAll">,
  ofModules: readonly string[],
): readonly string[] =>
  hasAll ? [...scopes, ...ofModules.filter((scope) => !scopes.includes(scope))] : scopes;

/** Whether `holder` may do everything that `wanted` may. A pattern of ledgers counts as covered only if a single pattern covers it. */
export const covers = (holder: Authority, wanted: Authority): boolean =>
  lacks(holder, wanted).length === 0;

/** The parts of `wanted` that `holder` lacks, as words of a sentence: scopes, ledgers, trust. */
export function lacks(holder: Authority, wanted: Authority): readonly string[] {
  if (isFull(holder)) return [];
  const scopes = wanted.scopes.filter(
    (scope) => !STANDARD_SCOPES.includes(scope) && !mayHave(holder.scopes, scope),
  );
  const ofAll = wanted.hasAll && !holder.hasAll ? ["all scopes that a release adds"] : [];
  const isReached = coversLedgers(holder.ledgers, wanted.ledgers);
  const ledgers =
    wanted.ledgers.length === 0 ? "all ledgers" : `ledgers ${wanted.ledgers.join(", ")}`;
  const trust = wanted.isTrusted && !holder.isTrusted ? ["trust in the tokens of others"] : [];
  return [...scopes, ...ofAll, ...(isReached ? [] : [ledgers]), ...trust];
}

/** The intersection of two authorities, for a client that acts for a person. */
export function commonAuthority(one: Authority, other: Authority): Authority {
  const ledgers = commonPatterns(one.ledgers, other.ledgers);
  if (ledgers === undefined) return NO_AUTHORITY;
  return {
    scopes: [
      ...one.scopes.filter((scope) => isFull(other) || mayHave(other.scopes, scope)),
      ...other.scopes.filter((scope) => isFull(one) || mayHave(one.scopes, scope)),
    ],
    hasAll: one.hasAll && other.hasAll,
    ledgers,
    isTrusted: one.isTrusted && other.isTrusted,
  };
}

/** The canonical form of an authority: equal authorities are equal texts, whatever the order of their scopes and ledgers. */
export const canonical = ({ scopes, hasAll, ledgers, isTrusted }: Authority): Authority => ({
  scopes: [...new Set(scopes)].toSorted(),
  hasAll,
  ledgers: [...new Set(ledgers)].toSorted(),
  isTrusted,
});

/** The authorities of a change's target: now, after the change, and lately. */
export interface Touched {
  /** The target as messages name it: "the client 'shop'". */
  readonly name: string;
  readonly now?: Authority | undefined;
  readonly next?: Authority | undefined;
  /** Former authorities of which tokens may still be valid. */
  readonly past: readonly Authority[];
}

/**
 * Why an actor may not make a change, as a sentence; undefined if the actor may. Whoever changes, deletes, resets or invites a
 * target, or takes a secret of it, needs its authority now and after the change, and every authority of which its tokens may
 * still be valid.
 *
 *     ─────────── past ───────────│── now ──│── next ──►
 *     longest life of a token     change is asked for
 */
export function refusalOf(
  actor: Authority,
  { name, now, next, past }: Touched,
): string | undefined {
  const given = next === undefined ? [] : lacks(actor, next);
  if (given.length > 0) {
    return `you may not give scopes that you do not have yourself: ${given.join(", ")}`;
  }
  const had = now === undefined ? [] : lacks(actor, now);
  if (had.length > 0) {
    return `${name} may do more than you, so that you may not touch it. You lack: ${had.join(", ")}`;
  }
  const former = [...new Set(past.flatMap((authority) => lacks(actor, authority)))];
  if (former.length === 0) return undefined;
  return `${name} could do more than you until recently, and tokens of that time may still be valid, so that you may not touch it. You lack: ${former.join(", ")}`;
}

/**
 * Whether a credential ends when its holder gets more authority, because its maker could not have made it for the holder's new
 * authority.
 *
 *     now ──wider──► next      maker ⊉ next   ⇒   the credential ends
 */
export const endsWith = (
  { now, next }: { readonly now: Authority; readonly next: Authority },
  maker: Authority,
): boolean => !covers(now, next) && !covers(maker, next);
