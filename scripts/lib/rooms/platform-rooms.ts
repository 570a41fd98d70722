import { ANATOMY, D1, HTTP, platform, PLATFORM, type Room } from "./room.ts";

/** The rooms of the platform, from the bottom up. */
export const PLATFORM_ROOMS: Readonly<Record<string, Room>> = {
  platform: { uses: ["platform/tracing"], packages: ["croner", "node:buffer", "zod"] },
  "platform/tracing": { uses: [], packages: ["cloudflare:workers", "node:async_hooks"] },
  "platform/access": { uses: platform("context.ts", "errors.ts", "json.ts") },
  "platform/filter": { uses: ["platform"] },
  "platform/patterns": { uses: [] },
  "platform/paging": {
    uses: ["platform", "platform/filter"],
    packages: ["node:buffer", "zod"],
  },
  "platform/sql": {
    uses: platform("assert.ts", "errors.ts", "json.ts"),
    packages: ["node:sqlite"],
  },
  "platform/sse": { uses: ["platform"] },
  "platform/secrets": { uses: ["platform"], packages: ["node:crypto"] },
  "platform/objects": { uses: ["platform", ...platform("work/backoff.ts", "work/deadline.ts")] },
  "platform/work": { uses: ["platform", "platform/db"], packages: D1 },
  "platform/db": { uses: ["platform", ...platform("filter", "paging")], packages: D1 },
  "platform/events": {
    uses: ["platform", ...platform("audit", "db", "dead-letters", "objects", "tracing", "work")],
    packages: [...D1, "zod"],
  },
  "platform/arming": { uses: ["platform", ...platform("db", "objects")], packages: D1 },
  "platform/audit": { uses: ["platform", ...platform("db", "objects", "paging")], packages: D1 },
  "platform/failed-requests": {
    uses: ["platform", ...platform("db", "objects", "paging", "work/deadline.ts")],
    packages: D1,
  },
  "platform/dead-letters": {
    uses: ["platform", ...platform("audit", "db", "objects", "paging", "work/backoff.ts")],
    packages: [...D1, "node:crypto", "node:buffer"],
  },
  "platform/status": {
    uses: ["platform", ...platform("db", "events", "objects", "secrets", "storage", "work")],
    packages: D1,
  },
  "platform/backup": {
    uses: ["platform", ...platform("audit", "db", "objects", "secrets", "sql")],
    packages: D1,
  },
  "platform/restoration": {
    uses: ["platform", ...platform("db")],
    packages: [...D1, "node:crypto", "node:buffer"],
  },
  "platform/backup/saving": {
    uses: ["platform", ...platform("secrets", "sql")],
    packages: ["node:buffer", "node:crypto", "zod"],
  },
  "platform/backup/scheduled": {
    uses: [
      "platform",
      ...platform("backup/saving", "secrets", "sql", "work/backoff.ts", "work/deadline.ts"),
    ],
    packages: ["node:buffer", "node:crypto", "node:zlib", "zod"],
  },
  "platform/storage": { uses: ["platform", ...platform("db")], packages: D1 },
  "platform/upgrade": { uses: ["platform", ...platform("db", "restoration")], packages: D1 },
  "platform/admission": { uses: ["platform", ...platform("work/deadline.ts")] },
  "platform/http": {
    uses: [
      "platform",
      ...platform(
        "access",
        "admission",
        "failed-requests",
        "filter",
        "paging",
        "restoration",
        "tracing",
        "work/deadline.ts",
        "work/turns.ts",
      ),
    ],
    packages: [...HTTP, "hono/*"],
  },
  "platform/traffic": {
    uses: ["platform", ...platform("http", "status")],
    packages: HTTP,
  },
  "platform/modules": { uses: PLATFORM, packages: [...HTTP, ...D1] },
  "platform/document": {
    uses: ANATOMY,
    packages: [...HTTP, "@scalar/hono-api-reference"],
  },
};
