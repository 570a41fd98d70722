/** The stages of a request's time. */
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
 * The stages of functions, by file or folder. The longest matching path decides, and a function behind `#` precedes its file. Functions of
 * other files, which several stages may share, count for the stage of their caller, and without such a caller as the rest.
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
  "src/modules/ledger/answers/bulk-body.ts": "encoding",
  "src/modules/ledger/answers/result-json.ts": "encoding",
  "src/ledger-engine/rules/texts.ts": "encoding",
  "src/ledger-engine/rules/volume-texts.ts": "encoding",
  "src/ledger-engine/rules/views.ts": "encoding",
  "src/ledger-engine/rules/log/log-text.ts": "encoding",
};

/** The stages of native functions of the runtime, by their names in a profile. */
export const STAGE_OF_NATIVE: Readonly<Record<string, Stage>> = {
  exec: "SQL",
  next: "SQL",
  one: "SQL",
  raw: "SQL",
  toArray: "SQL",
  "(garbage collector)": "garbage",
};

/** Paths of code in the ledger's object. Stacks without one of these paths run in the Worker. */
export const OBJECT_PATHS: readonly string[] = [
  "src/ledger-engine/engine.ts",
  "src/ledger-engine/read",
  "src/ledger-engine/storage",
  "src/ledger-engine/write",
  "src/modules/ledger/answers/answer-server.ts",
  "src/modules/ledger/answers/bulk-body.ts",
  "src/modules/ledger/answers/result-json.ts",
  "src/modules/ledger/answers/sliced-reads.ts",
  "src/modules/ledger/objects",
];

/** The name of idle time in a profile. */
export const IDLE = "(idle)";
