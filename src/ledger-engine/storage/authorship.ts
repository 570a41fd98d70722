import type { AuthorChange } from "#ledger-engine/rules/reads.ts";
import type { Author } from "#ledger-engine/rules/writes.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** The most changes in one row. An update writes the whole row, and a look-up reads the whole row. */
const CHANGES_MAX = 32;
/** Stands for an unknown author. */
const UNKNOWN = 0;
/** The base of the numbers in the text of a row. */
const RADIX = 36;

type AuthorshipRow = {
  log: number;
  changes: string;
};

/** The author of the last entry, and the row with the last change. */
interface Latest {
  readonly author: Author | undefined;
  /** The entry from which on the last change holds; -1 if there is none. */
  readonly changedAt: number;
  /** Undefined if there is no row yet. */
  readonly row: { readonly log: number; readonly changes: number } | undefined;
}

/**
 * The authors of log entries, as a run-length encoding: only changes of the author are stored. The text of a row lists them as
 * `offset.author,` in base 36: from the entry `log + offset` on, entries are by this author. If clients take turns, a row for
 * each change would take more bytes than the change.
 *
 *     log    changes        entries 100…102 by author 1, entries 103…109 by author 2, entries from 110 on by author 1
 *     100    0.1,3.2,a.1,
 */
export class Authorship {
  readonly #sql: Sql;
  #latest: Latest | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Notes the author of an entry that comes after all others. It must be called in the transaction that writes the entry. */
  note(log: number, author: Author | undefined): void {
    this.#latest ??= this.#readLatest();
    const { author: before, row } = this.#latest;
    if (isSame(author, before)) return;
    const id = author === undefined ? UNKNOWN : this.#idOf(author);
    if (row === undefined || row.changes >= CHANGES_MAX) {
      this.#sql.all("INSERT INTO authorship (log, changes) VALUES (?, ?)", log, changeText(0, id));
      this.#latest = { author, changedAt: log, row: { log, changes: 1 } };
      return;
    }
    const change = changeText(log - row.log, id);
    this.#sql.all("UPDATE authorship SET changes = changes || ? WHERE log = ?", change, row.log);
    this.#latest = { author, changedAt: log, row: { log: row.log, changes: row.changes + 1 } };
  }

  /** The entry from which on the last author is known; -1 where no author was ever noted. */
  get lastChange(): number {
    this.#latest ??= this.#readLatest();
    return this.#latest.changedAt;
  }

  /** The author of an entry that exists; undefined if unknown. */
  find(log: number): Author | undefined {
    const [row] = this.#sql.all<AuthorshipRow>(
      "SELECT log, changes FROM authorship WHERE log <= ? ORDER BY log DESC LIMIT 1",
      log,
    );
    return row === undefined ? undefined : this.#authorOf(row, log);
  }

  /**
   * The authors of the first entries of a range, which is not empty: those of `rowsMax` rows, and where they end. The first change is that
   * of the first entry, unless its author is unknown because no change comes before it.
   */
  changesIn(
    { from, to }: { readonly from: number; readonly to: number },
    rowsMax: number,
  ): { readonly changes: readonly AuthorChange[]; readonly upTo: number } {
    const [before] = this.#sql.all<AuthorshipRow>(
      "SELECT log, changes FROM authorship WHERE log <= ? ORDER BY log DESC LIMIT 1",
      from,
    );
    const later = this.#sql.all<AuthorshipRow>(
      "SELECT log, changes FROM authorship WHERE log > ? AND log <= ? ORDER BY log LIMIT ? + 0",
      from,
      to,
      rowsMax + 1,
    );
    const upTo = Math.min((later[rowsMax]?.log ?? Infinity) - 1, to);
    const noted = [...(before === undefined ? [] : [before]), ...later].flatMap(changesOf);
    const start = noted.findLast(({ log }) => log <= from);
    const within = noted.filter(({ log }) => log > from && log <= upTo);
    const changes = start === undefined ? within : [{ ...start, log: from }, ...within];
    const authors = new Map<number, Author | undefined>();
    for (const { author } of changes) {
      if (!authors.has(author)) authors.set(author, this.#authorWith(author));
    }
    return {
      changes: changes.map(({ log, author }) => ({ from: log, author: authors.get(author) })),
      upTo,
    };
  }

  /** Forgets the state in memory, which is wrong after a rollback. */
  reset(): void {
    this.#latest = undefined;
  }

  #readLatest(): Latest {
    const [row] = this.#sql.all<AuthorshipRow>(
      "SELECT log, changes FROM authorship ORDER BY log DESC LIMIT 1",
    );
    if (row === undefined) return { author: undefined, changedAt: -1, row };
    const changes = changesOf(row);
    return {
      author: this.#authorOf(row, Infinity),
      changedAt: changes.at(-1)?.log ?? row.log,
      row: { log: row.log, changes: changes.length },
    };
  }

  #authorOf(row: AuthorshipRow, log: number): Author | undefined {
    const id = changesOf(row).findLast((change) => change.log <= log)?.author;
    return id === undefined ? undefined : this.#authorWith(id);
  }

  #authorWith(id: number): Author | undefined {
    if (id === UNKNOWN) return undefined;
    const { issuer, subject, clientId } = first(
      this.#sql.all<{ issuer: string; subject: string; clientId: string }>(
        "SELECT issuer, subject, client_id AS clientId FROM author WHERE id = ?",
        id,
      ),
    );
    return { issuer, subject, clientId };
  }

  #idOf({ issuer, subject, clientId }: Author): number {
    const [known] = this.#sql.all<{ id: number }>(
      "SELECT id FROM author WHERE client_id = ? AND subject = ? AND issuer = ?",
      clientId,
      subject,
      issuer,
    );
    if (known !== undefined) return known.id;
    return first(
      this.#sql.all<{ id: number }>(
        "INSERT INTO author (issuer, subject, client_id) VALUES (?, ?, ?) RETURNING id",
        issuer,
        subject,
        clientId,
      ),
    ).id;
  }
}

const isSame = (a: Author | undefined, b: Author | undefined): boolean =>
  a?.clientId === b?.clientId && a?.subject === b?.subject && a?.issuer === b?.issuer;

const changeText = (offset: number, author: number): string =>
  `${offset.toString(RADIX)}.${author.toString(RADIX)},`;

/** The changes of a row, in the order of the log. */
function changesOf({ log, changes }: AuthorshipRow): { log: number; author: number }[] {
  return changes
    .slice(0, -1)
    .split(",")
    .map((change) => {
      const [offset = "", author = ""] = change.split(".");
      return { log: log + Number.parseInt(offset, RADIX), author: Number.parseInt(author, RADIX) };
    });
}
