import type { SQL } from "drizzle-orm";
import { orchestrationWorkflows } from "./tables.ts";
import type { Principal } from "#platform/context.ts";
import { whereBindingCovered } from "#platform/db/ledger-scope.ts";

/**
 * SQL condition that holds for workflows that a principal may see. A principal that is bound to ledgers sees workflows that were created
 * under the same binding or a narrower one.
 */
export const isWorkflowVisible = ({ ledgers }: Principal): SQL | undefined =>
  whereBindingCovered(orchestrationWorkflows.ledgers, ledgers);
