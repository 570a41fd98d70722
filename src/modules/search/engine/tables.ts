import { TableSteps } from "#platform/sql/table-steps.ts";

/** The tables of a shard besides those of its indexes, which `indexTables` names. */
export const SHARD_TABLES = new TableSteps("a shard of the search", [
  {
    name: "The indexes of a shard",
    statements: [
      `CREATE TABLE generation (
        id INTEGER PRIMARY KEY AUTOINCREMENT, format INTEGER NOT NULL, is_serving INTEGER NOT NULL,
        is_listed INTEGER NOT NULL DEFAULT 0, since_ms INTEGER NOT NULL, catalogue INTEGER NOT NULL DEFAULT 0
      ) STRICT`,
    ],
  },
]);

/**
 * The version of the tables and tokens of an index. An index is derived from the logs and the lists of the modules: after a change of
 * this number, a shard builds a new one, and serves the old one meanwhile.
 */
export const FORMAT = 1;

/** Names of the tables of an index. */
export const tablesOf = (id: number) => ({
  text: `text_${id}`,
  vocabulary: `vocabulary_${id}`,
  origin: `origin_${id}`,
  slot: `slot_${id}`,
  record: `record_${id}`,
});

/**
 * Makes the tables of an index.
 *
 *     origin   what the index follows: a ledger's log, or the objects of a kind; how far; and what is not in `text` yet
 *        │
 *     slot     the objects of one kind of an origin: an object is number `doc` of its slot, and row `slot × 2^32 + doc` of `text`
 *        │
 *     text     FTS5 without content, positions and sizes: token ─► rows
 *     record   the id of an object, by slot and number; transactions have none, because their id is their number
 *
 * A token begins with the number of its slot, so that a search in one ledger reads nothing of another one.
 */
export const indexStatements = (id: number): string[] => {
  const { text, vocabulary, origin, slot, record } = tablesOf(id);
  return [
    `CREATE VIRTUAL TABLE ${text} USING fts5(
      tokens, content = '', detail = none, columnsize = 0,
      tokenize = "ascii tokenchars '-_.@/:+#=%<>~&$'"
    )`,
    `CREATE VIRTUAL TABLE ${vocabulary} USING fts5vocab(${text}, instance)`,
    `CREATE TABLE ${origin} (
      id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
      position INTEGER NOT NULL, target INTEGER NOT NULL, behind_ms INTEGER, failure TEXT,
      walk TEXT, pending TEXT NOT NULL DEFAULT '[]'
    ) STRICT`,
    `CREATE TABLE ${slot} (
      id INTEGER PRIMARY KEY, origin INTEGER NOT NULL, kind TEXT NOT NULL, high INTEGER NOT NULL,
      UNIQUE (origin, kind, high)
    ) STRICT`,
    `CREATE TABLE ${record} (
      slot INTEGER NOT NULL, doc INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (slot, doc)
    ) STRICT, WITHOUT ROWID`,
    `CREATE UNIQUE INDEX ${record}_key ON ${record} (slot, key)`,
  ];
};

export const dropStatements = (id: number): string[] => {
  const { text, vocabulary, origin, slot, record } = tablesOf(id);
  return [vocabulary, text, origin, slot, record].map((name) => `DROP TABLE ${name}`);
};
