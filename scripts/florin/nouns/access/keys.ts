import { act } from "#scripts/florin/api/act.ts";
import type { ShownFields } from "#scripts/florin/api/fields.ts";
import { list } from "#scripts/florin/api/list.ts";
import type { Noun } from "#scripts/florin/command.ts";

const PATH = "/api/florin/v1/signing-keys";

const FIELDS: ShownFields = {
  Key: "id",
  "Made at": "createdAt",
  Role: ({ verifiesUntil }) =>
    typeof verifiesUntil === "string" ? `verifies until ${verifiesUntil}` : "signs",
};

export const noun: Noun = {
  summary: "Keys that sign tokens",
  verbs: {
    list: list({
      summary: "Lists the keys that verify tokens",
      path: PATH,
      scope: "auth:read",
      isPaged: false,
      columns: FIELDS,
      empty: "There are no keys yet. The first token makes one.",
    }),
    rotate: act({
      summary: "Lets a new key sign; the old one verifies until its tokens have expired",
      method: "POST",
      path: `${PATH}/rotate`,
      scope: "auth:write",
      says: () => "A new key signs. `keys list` shows all that verify.",
    }),
  },
};
