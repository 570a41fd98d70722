import type { SQL } from "drizzle-orm";
import { orchestrationWorkflows } from "./tables.ts";
import type { Principal } from "#platform/context.ts";
import { whereBindingCovered } from "#platform/db/ledger-scope.ts";

/** The workflows that a principal may see: a bound one sees those that were made under the same binding or a narrower one. */
export const isWorkflowVisible = ({ ledgers }: Principal): SQL | undefined =>
  whereBindingCovered(orchestrationWorkflows.ledgers, ledgers);
