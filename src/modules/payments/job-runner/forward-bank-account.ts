import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import type { BankAccountWithNumbers } from "#modules/payments/bank-accounts/bank-account.ts";
import { savedBankAccountEvent } from "#modules/payments/bank-accounts/event-types.ts";
import { findBankAccount } from "#modules/payments/bank-accounts/store.ts";
import { paymentBankAccountRelations } from "#modules/payments/bank-accounts/tables.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { maskNumbers } from "#modules/payments/core/owners/bank-numbers.ts";
import { toAccountMetadata } from "#modules/payments/core/owners/owner-metadata.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import { findConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import type { JobOf } from "#modules/payments/jobs/job.ts";
import { runTask } from "#modules/payments/jobs/run-task.ts";
import { endTask, findTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/**
 * Creates an account at the connector for a bank account, and stores it. If the provider cannot be reached, the job is
 * repeated.
 */
export async function runBankAccountForward(
  context: ServiceContext,
  { bankAccountId, connector: connectorId }: JobOf<"forward-bank-account">,
): Promise<void> {
  const task = await findTask(context, TASK_IDS.createBankAccount(connectorId, bankAccountId));
  const connector = await findConnector(context, connectorId);
  const account = await findBankAccount(context.env, bankAccountId);
  if (task?.status !== "PROCESSING" || account === undefined) return;
  // The task is deleted with a connector that is being uninstalled, and nothing may be created at its provider any more.
  if (connector === undefined || connector.deletedAt !== undefined) return;
  await runTask(context, task, async () => {
    const made = await createAtProvider(context, connector, account);
    await storeRelated(context, { task, connector, account, made });
  });
}

async function createAtProvider(
  context: ServiceContext,
  connector: InstalledConnector,
  { id, createdAt, name, country, numbers, metadata }: BankAccountWithNumbers,
): Promise<ProviderAccount> {
  const plugin = await openPlugin(context, connector);
  if (plugin.createBankAccount === undefined) {
    throw new ConnectorError("invalid", "the provider creates no accounts for bank accounts");
  }
  return plugin.createBankAccount({
    id,
    createdAt,
    name,
    metadata,
    ...numbers,
    ...given({ country }),
  });
}

/** Stores the created account, its relation to the bank account, and the end of the task, with their events. */
async function storeRelated(
  context: ServiceContext,
  {
    task,
    connector,
    account,
    made,
  }: {
    readonly task: Task;
    readonly connector: InstalledConnector;
    readonly account: BankAccountWithNumbers;
    readonly made: ProviderAccount;
  },
): Promise<void> {
  const id = { connector: connector.id, reference: made.reference };
  const metadata = { ...made.metadata, ...toAccountMetadata(account) };
  const relation = { id, createdAt: made.createdAt };
  const ended = taskChange(context, endTask(task, { createdObjectId: encodeOwnedId(id) }, context));
  await storePage(context, async () => {
    const page = await prepareAccounts(context, {
      connector,
      type: "EXTERNAL",
      accounts: [{ ...made, metadata }],
    });
    const known = account.related.filter(
      ({ id: other }) => encodeOwnedId(other) !== encodeOwnedId(id),
    );
    const shown = {
      ...account,
      numbers: maskNumbers(account.numbers),
      related: [...known, relation],
    };
    return {
      statements: [
        ...page.statements,
        databaseOf(context.env)
          .insert(paymentBankAccountRelations)
          .values({
            bankAccountKey: account.key,
            connectorKey: connector.key,
            accountReference: made.reference,
            createdAt: made.createdAt,
          })
          .onConflictDoNothing(),
        ended.statement,
      ],
      events: [
        ...page.events,
        { event: savedBankAccountEvent(shown, context.clock()) },
        ended.event,
      ],
    };
  });
}
