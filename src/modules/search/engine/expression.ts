import { prefixOf, type Slot } from "./slots.ts";
import type { tablesOf } from "./tables.ts";
import { TOKENS } from "#modules/search/core/document.ts";
import type { Atom, Clause, TermPolicy } from "#modules/search/core/terms.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * Most words that the beginning of a word stands for. FTS5 would collect the rows of all words with a beginning before it gives the first
 * one: half a second for half a million words. A list of words is merged as far as it is read.
 */
const WORDS_MAX = 64;

/** The end of the list of a word's continuations: the next token after `.order` and all that begin with `.order` and a lower sign. */
const NEXT = "\u0001";

/** What FTS5 has to look for in a slot. */
export interface MatchExpression {
  /** The text of `MATCH`; undefined where nothing can match. */
  readonly text: string | undefined;
  /** Whether objects may be missing, because the beginning of a word stands for too many words. */
  readonly isPartial: boolean;
}

/** A clause in the syntax of FTS5. */
interface Part extends MatchExpression {
  /** Whether every object of the slot fits. */
  readonly isEvery: boolean;
}

/** Translates clauses to an expression of FTS5 for one slot. */
export class MatchExpressions {
  readonly #sql: Sql;
  readonly #vocabulary: string;

  constructor(sql: Sql, { vocabulary }: Pick<ReturnType<typeof tablesOf>, "vocabulary">) {
    this.#sql = sql;
    this.#vocabulary = vocabulary;
  }

  of(slot: Slot, clauses: readonly Clause[], policy: TermPolicy): MatchExpression {
    const prefix = prefixOf(slot.id);
    const every = { text: quoted(`${prefix}${TOKENS.every}`), isPartial: false };
    const parts = clauses.map((clause) => this.#part(prefix, clause));
    if (policy === "OR" && parts.length > 0) {
      if (parts.some(({ isEvery }) => isEvery)) return every;
      const texts = parts.flatMap(({ text }) => text ?? []);
      return {
        text: texts.length === 0 ? undefined : texts.join(" OR "),
        isPartial: parts.some(({ isPartial }) => isPartial),
      };
    }
    const telling = parts.filter(({ isEvery }) => !isEvery);
    if (telling.length === 0) return every;
    if (telling.some(({ text }) => text === undefined))
      return { text: undefined, isPartial: false };
    // Hits are compared with all terms, so that a term whose words are too many can be left to that, beside others.
    const whole = telling.filter(({ isPartial }) => !isPartial);
    const used = whole.length === 0 ? telling.slice(0, 1) : whole;
    return {
      text: used.map(({ text }) => `(${text})`).join(" AND "),
      isPartial: whole.length === 0,
    };
  }

  #part(prefix: string, clause: Clause): Part {
    if (clause.some((atoms) => atoms.length === 0)) {
      return { text: undefined, isPartial: false, isEvery: true };
    }
    const lists = clause.map((atoms) => atoms.map((atom) => this.#tokens(prefix, atom)));
    const possible = lists.filter((list) => list.every(({ tokens }) => tokens.length > 0));
    const texts = possible.map((list) =>
      list.map(({ tokens }) => `(${tokens.map(quoted).join(" OR ")})`).join(" AND "),
    );
    return {
      text: texts.length === 0 ? undefined : texts.map((text) => `(${text})`).join(" OR "),
      isPartial: possible.some((list) => list.some(({ isPartial }) => isPartial)),
      isEvery: false,
    };
  }

  /** The tokens that an atom stands for. */
  #tokens(prefix: string, { token, isPrefix }: Atom): { tokens: string[]; isPartial: boolean } {
    const start = `${prefix}${token}`;
    if (!isPrefix) return { tokens: [start], isPartial: false };
    const tokens: string[] = [];
    for (let from = start; tokens.length <= WORDS_MAX;) {
      const [row] = this.#sql.all<{ term: string }>(
        `SELECT term FROM ${this.#vocabulary} WHERE term >= ? LIMIT 1`,
        from,
      );
      if (row === undefined || !row.term.startsWith(start)) break;
      tokens.push(row.term);
      from = `${row.term}${NEXT}`;
    }
    return { tokens: tokens.slice(0, WORDS_MAX), isPartial: tokens.length > WORDS_MAX };
  }
}

const quoted = (token: string): string => `"${token}"`;
