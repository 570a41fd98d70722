import { expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { runTask } from "#modules/payments/jobs/run-task.ts";
import { endTask, openTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import type { ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

class TaskWorld {
  readonly #world = new IngestWorld();

  get context(): ServiceContext {
    const { context } = this.#world;
    const bindings = { EVENTS: { sendBatch: async () => undefined } };
    return { ...context, env: { ...context.env, ...bindings } as unknown as Env }; // the bindings that tasks use
  }

  /** A stored task that is under way. */
  async open(): Promise<Task> {
    const { key, id: connector } = this.#world.connector;
    const id = { connector, reference: "create-bank-account" };
    const { task } = openTask(undefined, { id, connectorKey: key }, this.context);
    await this.store(task);
    return task;
  }

  async store(task: Task): Promise<void> {
    const { statement, event } = taskChange(this.context, task);
    await Outbox.from(this.context).publish({ change: [statement], events: [event] });
  }

  get rows() {
    return this.#world.d1.rows("SELECT status, error FROM payment_tasks");
  }

  get events(): number {
    return this.#world.d1.rows("SELECT id FROM outbox").length;
  }
}

const refuse = async (): Promise<void> => {
  throw new ConnectorError("invalid", "no such account");
};

test("a task whose work is refused ends with the reason", async () => {
  const world = new TaskWorld();
  const task = await world.open();
  await runTask(world.context, task, refuse);
  expect(world.rows).toEqual([{ status: "FAILED", error: "no such account" }]);
  expect(world.events).toBe(2);
});

test("a task that another run has ended meanwhile stays as it is, and sends no event of a failure", async () => {
  const world = new TaskWorld();
  const task = await world.open();
  await runTask(world.context, task, async () => {
    await world.store(endTask(task, { createdObjectId: "account" }, world.context));
    return refuse();
  });
  expect(world.rows).toEqual([{ status: "SUCCEEDED", error: null }]);
  expect(world.events).toBe(2);
});
