import { may } from "#console/api/florin.ts";
import type { RuleSchedule } from "#console/places/reconciliation/queries/common.ts";

/** Whether the person may change rules, alerts and policies that the person may read. */
export const mayWrite = (): boolean => may("reconciliation:write");

/** Whether the person may make a rule: every rule reads ledgers or pools, and whoever makes it has to read them, too. */
export const mayMakeRules = (): boolean =>
  mayWrite() && (may("ledger:read") || may("payments:read"));

/** Whether the person may make a policy, which reads a ledger and a pool. */
export const mayMakePolicies = (): boolean =>
  mayWrite() && may("ledger:read") && may("payments:read");

/** Whether the person may change a rule with a schedule: who changes one on events has to read the modules of these events. */
export const mayChange = ({ types = [] }: RuleSchedule): boolean =>
  mayWrite() && types.every((type) => may(`${type.slice(0, type.indexOf("."))}:read`));
