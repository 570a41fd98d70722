import type { Context } from "hono";
import { BODY_BYTES_MAX } from "./schemas.ts";
import { AppError } from "#platform/errors.ts";
import { contentTypeOf } from "#platform/http/body.ts";
import type { AppEnv } from "#platform/http/index.ts";

/** The members of all bodies of wallets. Members of `metadata` are the client's own. */
const NAMES =
  "name metadata expiresAt priority amount asset reference timestamp sources balance pending description destination balances final type identifier";
const NAME_OF: ReadonlyMap<string, string> = new Map(
  NAMES.split(" ").map((name) => [name.toLowerCase(), name]),
);

/**
 * A body with the names of its members in the case that the schemas know, because clients may write them in upper or lower case. Where two
 * names become the same, the last member counts.
 */
export function withKnownNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withKnownNames);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const known = NAME_OF.get(name.toLowerCase()) ?? name;
    return [known, known === "metadata" ? member : withKnownNames(member)];
  });
  return Object.fromEntries(entries);
}

/** Throws `NOT_JSON` for a body with another content type, before the body is read. */
function assertJson(c: Context<AppEnv>): void {
  const { raw } = c.req;
  if (raw.body === null || raw.headers.get("content-length") === "0") return;
  const type = contentTypeOf(raw).toLowerCase();
  if (type === "application/json") return;
  const given = type === "" ? "none" : `'${type.slice(0, 80)}'`;
  throw new AppError(
    "NOT_JSON",
    `the content type of a body is application/json, and not ${given}`,
  );
}

/** Options for the bodies of all operations of wallets that write. */
export const WALLET_BODY = {
  bodyBytesMax: BODY_BYTES_MAX,
  before: assertJson,
  normalizeBody: withKnownNames,
} as const;
