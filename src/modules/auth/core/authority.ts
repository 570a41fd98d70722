import { mayHave, STANDARD_SCOPES } from "./scopes.ts";
import { coversLedgers, commonPatterns } from "#platform/access/ledger-patterns.ts";

/**
 * What a client or a person may do, as far as somebody could take it over.
 *
 *                 scopes ⊆      hasAll ⇒      ledgers ⊆      isTrusted ⇒
 *     wanted  ──────────────────────────────────────────────────────────►  holder      `covers(holder, wanted)`
 *
 * It is the attenuation of capability systems (Miller, "Robust Composition", 2006): what somebody passes on, or gets hold of, is
 * covered by what they have.
 */
export interface Authority {
  /** Those that were given by name; where it has all, they name the scopes of other servers, too. */
  readonly scopes: readonly string[];
  /** Whether it has all scopes of the modules, and so those that a later release adds. */
  readonly hasAll: boolean;
  /** Patterns of the only ledgers that it reaches; empty for all. */
  readonly ledgers: readonly string[];
  /** Whether it may introspect the tokens of other clients. */
  readonly isTrusted: boolean;
}

/** What an administrator may do. */
export const FULL_AUTHORITY: Authority = {
  scopes: [],
  hasAll: true,
  ledgers: [],
  isTrusted: true,
};

/** What whoever is gone may do. It reaches no ledger, because without scopes it may do nothing in any. */
export const NO_AUTHORITY: Authority = { scopes: [], hasAll: false, ledgers: [], isTrusted: false };

/** Whether it has all scopes and is bound to no ledgers. Such an authority covers every other one. */
export const isFull = ({ hasAll, ledgers }: Authority): boolean => hasAll && ledgers.length === 0;

/** Whether scopes are all of the modules'. Who may write may read. */
export const areAll = (scopes: readonly string[], ofModules: readonly string[]): boolean =>
  ofModules.every((scope) => mayHave(scopes, scope));

/** The scopes by name: where all are had, those of the modules as they are now, behind those that were given by name. */
export const scopesOfAuthority = (
  { scopes, hasAll }: Pick<Authority, "scopes" | "hasAll">,
  ofModules: readonly string[],
): readonly string[] =>
  hasAll ? [...scopes, ...ofModules.filter((scope) => !scopes.includes(scope))] : scopes;

/** Whether somebody may do all that another one may. Patterns of ledgers count as covered only where each is by a single one. */
export const covers = (holder: Authority, wanted: Authority): boolean =>
  lacks(holder, wanted).length === 0;

/** What somebody lacks of an authority, as words of a sentence: scopes, ledgers, trust. */
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

/** What both of two allow, for a client that acts for a person. */
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

/** The same authority in one form, whatever the order in which it was given, by which two are compared. */
export const canonical = ({ scopes, hasAll, ledgers, isTrusted }: Authority): Authority => ({
  scopes: [...new Set(scopes)].toSorted(),
  hasAll,
  ledgers: [...new Set(ledgers)].toSorted(),
  isTrusted,
});

/** What a change touches: what its target may do now, would be able to do, and could do lately. */
export interface Touched {
  /** "the client 'shop'" */
  readonly name: string;
  readonly now?: Authority | undefined;
  readonly next?: Authority | undefined;
  /** Tokens of each of them may still be valid. */
  readonly past: readonly Authority[];
}

/**
 * Why somebody may not make a change, as a sentence; undefined where they may. Whoever changes, deletes, resets, invites or takes a
 * secret needs all that the target has, would get, and could have had as long as its tokens live.
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
 * Whether a credential no longer counts when its holder is given more: whoever has made it could not have made it then.
 *
 *     now ──wider──► next      maker ⊉ next   ⇒   the credential ends
 */
export const endsWith = (
  { now, next }: { readonly now: Authority; readonly next: Authority },
  maker: Authority,
): boolean => !covers(now, next) && !covers(maker, next);
