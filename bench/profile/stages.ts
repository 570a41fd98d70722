/** What a request's time is spent on. */
export const STAGES = [
  "parsing",
  "token",
  "routing",
  "validation",
  "call",
  "SQL",
  "decoding",
  "rules",
  "encoding",
  "garbage",
  "rest",
] as const;

export type Stage = (typeof STAGES)[number];

/**
 * Which stage the functions of a file or folder belong to; the longest path that fits decides, and a function behind `#` before
 * its file. What is not here, such as what several stages share, counts for whoever called it, and without such a caller it is
 * the rest.
 */
export const STAGE_OF_PATH: Readonly<Record<string, Stage>> = {
  "src/platform/http/body.ts": "parsing",
  "src/platform/request-json.ts": "parsing",
  "src/modules/ledger/bulk": "parsing",

  "src/platform/http/access.ts": "token",
  "src/platform/access": "token",
  "src/modules/auth": "token",

  "src/app.ts": "routing",
  "src/platform/http": "routing",
  "node_modules/hono": "routing",
  "node_modules/@hono": "routing",

  "src/platform/http/request-parts.ts": "validation",
  "src/platform/http/listing.ts": "validation",
  "src/platform/validation.ts": "validation",
  "src/platform/paging/cursor.ts#decodeCursor": "validation",
  "src/modules/ledger/http": "validation",
  "src/modules/ledger/wire": "validation",
  "src/ledger-engine/requests": "validation",
  "node_modules/zod": "validation",

  "src/modules/ledger": "call",
  "src/platform/objects": "call",

  "src/platform/sql": "SQL",

  "src/ledger-engine/storage": "decoding",
  "src/ledger-engine/read": "decoding",

  "src/ledger-engine/engine.ts": "rules",
  "src/ledger-engine/rules": "rules",
  "src/ledger-engine/write": "rules",
  "src/ledger-engine/storage/log/log-checksum.ts": "rules",
  "src/numscript": "rules",

  "src/platform/http/answers.ts": "encoding",
  "src/platform/http/schemas.ts": "encoding",
  "src/platform/json.ts#stringifyJson": "encoding",
  "src/platform/paging/cursor.ts#encodeCursor": "encoding",
  "src/modules/ledger/wire/bulk-views.ts": "encoding",
  "src/modules/ledger/wire/views.ts": "encoding",
  "src/ledger-engine/read/answer-texts.ts": "encoding",
  "src/ledger-engine/rules/texts.ts": "encoding",
  "src/ledger-engine/rules/volume-texts.ts": "encoding",
  "src/ledger-engine/rules/views.ts": "encoding",
  "src/ledger-engine/rules/log/log-text.ts": "encoding",
};

/** The same for what the runtime does by itself, by its name in a profile. */
export const STAGE_OF_NATIVE: Readonly<Record<string, Stage>> = {
  exec: "SQL",
  next: "SQL",
  one: "SQL",
  raw: "SQL",
  toArray: "SQL",
  "(garbage collector)": "garbage",
};

/** A stack with one of these runs in the ledger's object; all others run in the Worker. */
export const OBJECT_PATHS: readonly string[] = [
  "src/ledger-engine/engine.ts",
  "src/ledger-engine/read",
  "src/ledger-engine/storage",
  "src/ledger-engine/write",
  "src/modules/ledger/objects",
];

/** What is no work at all. */
export const IDLE = "(idle)";
