import { describe, expect, test } from "vitest";
import { errorConformance } from "./errors.ts";
import { listConformance } from "./lists.ts";
import { movementConformance } from "./movements.ts";
import { type Conformance, openBench } from "./subject.ts";
import { webhookConformance } from "./webhooks.ts";
import type { FetchNode, Plugin } from "#modules/payments/connectors/contract.ts";
import type { Capability } from "#modules/payments/core/enums.ts";
import { FETCHED_KINDS } from "#modules/payments/polling/fetched-kinds.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";

export type { Conformance } from "./subject.ts";

/**
 * The suite that each connector passes. A test file calls it with the connector and a fake of its provider; the file itself
 * tests the rest of the connector (its mappings, row by row).
 */
export function connectorConformance<P extends FakePsp>(subject: Conformance<P>): void {
  describe(`the connector ${subject.kind.key}`, () => {
    completeness(subject);
    listConformance(subject);
    errorConformance(subject);
    movementConformance(subject);
    webhookConformance(subject);
    bankAccountConformance(subject);
  });
}

/** The operation of a plugin that each capability promises. */
const OPERATIONS: Readonly<Partial<Record<Capability, (plugin: Plugin) => unknown>>> = {
  ...Object.fromEntries(
    Object.entries(FETCHED_KINDS).map(([task, { operation }]) => [
      task,
      (plugin: Plugin) => plugin[operation],
    ]),
  ),
  CREATE_WEBHOOKS: (plugin) => plugin.webhooks,
  TRANSLATE_WEBHOOKS: (plugin) => plugin.webhooks,
  CREATE_BANK_ACCOUNT: (plugin) => plugin.createBankAccount,
  CREATE_TRANSFER: (plugin) => plugin.createTransfer,
  CREATE_PAYOUT: (plugin) => plugin.createPayout,
};

/** The capabilities of a connector, its operations, and the cases of the suite must agree. */
function completeness<P extends FakePsp>(subject: Conformance<P>): void {
  const { kind, lists, movements = [], webhooks, bankAccounts } = subject;

  test("a connector does what its capabilities promise", () => {
    const { plugin } = openBench(subject);
    const missing = kind.capabilities.filter((capability) => {
      const operation = OPERATIONS[capability];
      return operation !== undefined && operation(plugin) === undefined;
    });
    expect(missing).toEqual([]);
  });

  test("a connector says whether it finds movements by a reference", () => {
    const { plugin } = openBench(subject);
    expect(plugin.findMovement !== undefined).toBe(kind.findsMovements === true);
    const movers = [plugin.createTransfer && "TRANSFER", plugin.createPayout && "PAYOUT"];
    const reverses = plugin.reverseTransfer ?? plugin.reversePayout;
    for (const listed of kind.listed ?? []) {
      expect([...movers, reverses && "REVERSAL"]).toContain(listed);
    }
  });

  test("a connector is tried with all that it does", () => {
    const { plugin, psp } = openBench(subject);
    const fetched = tasksOf(kind.tree).filter((task) => task !== "CREATE_WEBHOOKS");
    expect(new Set(lists.map(({ task }) => task))).toEqual(new Set(fetched));
    const types = new Set(movements.map(({ movement }) => movement(psp).type));
    expect(types.has("TRANSFER")).toBe(plugin.createTransfer !== undefined);
    expect(types.has("PAYOUT")).toBe(plugin.createPayout !== undefined);
    expect(webhooks === undefined).toBe(plugin.webhooks === undefined);
    expect(bankAccounts === undefined).toBe(plugin.createBankAccount === undefined);
  });

  test("a connector lets its secrets be known", () => {
    const named = kind.fields.filter(({ name }) => /key|secret|password|token/i.test(name));
    expect(
      named.filter(({ isSecret, name }) => isSecret !== true && !/public/i.test(name)),
    ).toEqual([]);
  });
}

const tasksOf = (nodes: readonly FetchNode[]): FetchNode["task"][] =>
  nodes.flatMap(({ task, children }) => [task, ...tasksOf(children)]);

function bankAccountConformance<P extends FakePsp>(subject: Conformance<P>): void {
  const { bankAccounts } = subject;
  if (bankAccounts === undefined) return;
  test("a connector makes a bank account once, and shows no number of it in clear", async () => {
    const { psp, plugin } = openBench(subject);
    const first = await plugin.createBankAccount?.(bankAccounts.details);
    const second = await plugin.createBankAccount?.(bankAccounts.details);
    expect(first?.reference).toBeTruthy();
    expect(second?.reference).toBe(first?.reference);
    expect(bankAccounts.made?.(psp) ?? 1).toBe(1);
  });
}
