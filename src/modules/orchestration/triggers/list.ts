import { and, type SQL, sql } from "drizzle-orm";
import { isListed, isTriggerVisible, readTriggers } from "./store.ts";
import { orchestrationTriggers } from "./tables.ts";
import type { Trigger } from "./trigger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const TRIGGERS: ListTable<Trigger> = {
  keys: { name: { type: "custom", matches: contains } },
  sort: {
    key: {
      type: "integer",
      column: orchestrationTriggers.key,
      keyOf: ({ key }) => ({ value: BigInt(key) }),
    },
  },
};

/** SQL condition that holds for triggers whose name contains a text, in upper or lower case. */
function contains(text: string): SQL {
  return sql`instr(lower(${orchestrationTriggers.name}), lower(${text})) > 0`;
}

/** A page of the triggers that are not deleted. The query may filter by `name`. */
export const listTriggers = (
  context: Pick<ServiceContext, "env" | "principal">,
  query: PageQuery,
): Promise<Page<Trigger>> =>
  listPage(query, {
    ...TRIGGERS,
    read: ({ where, ...scan }) =>
      readTriggers(context, {
        ...scan,
        where: and(isListed, isTriggerVisible(context.principal), where),
      }),
  });
