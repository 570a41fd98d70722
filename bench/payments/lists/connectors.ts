import { ALL, filtersBy, type PaymentRead, plainRead, readsOf } from "#bench/payments/reads.ts";
import { COUNT, createdAt, type ListWorld } from "#bench/payments/world.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { CONNECTORS_MAX } from "#modules/payments/lifecycle/install.ts";
import { INSTANCES_KEPT } from "#modules/payments/polling/instances.ts";
import { scheduleIdOf } from "#modules/payments/polling/list.ts";
import { toMicros } from "#platform/time.ts";
import { at } from "#test/support/payments/provider-objects.ts";

/** The roots of the task trees of a kind with all tasks. */
const TASKS = [
  "FETCH_ACCOUNTS",
  "FETCH_BALANCES",
  "FETCH_EXTERNAL_ACCOUNTS",
  "FETCH_PAYMENTS",
  "FETCH_ORDERS",
  "FETCH_CONVERSIONS",
] as const;

/** Reads of the most possible connectors, each with all schedules; of the runs of schedules; and of tasks by their ids. */
export function connectorReads(world: ListWorld): PaymentRead[] {
  fillSchedules(world);
  fillTasks(world);
  const { id, name } = world.connector;
  const connector = encodeConnectorId(id);
  const schedules = `/api/payments/v3/connectors/${connector}/schedules`;
  const scheduleId = (task: (typeof TASKS)[number]) => scheduleIdOf(id, { task });
  const task = (reference: string) => encodeOwnedId({ connector: id, reference });
  return [
    ...readsOf(world, {
      name: "connectors",
      paths: ["/api/payments/v3/connectors"],
      filters: [
        ALL,
        ...filtersBy("id", { few: connector, none: "none" }),
        ...filtersBy("name", { few: name, none: "none" }),
        ...filtersBy("provider", { many: "generic", none: "none" }),
        { name: "a pattern of no name", hits: "none", where: { $like: { name: "%none%" } } },
      ],
      cursor: { list: "connectors", middle: { value: toMicros(MIDDLE), tie: 0n } },
    }),
    plainRead(world, {
      list: "connectors",
      name: "v1, all on one page",
      path: "/api/payments/connectors",
    }),
    ...readsOf(world, {
      name: "schedules of a connector",
      paths: [schedules, `/api/payments/connectors/GENERIC/${connector}/tasks`],
      filters: [
        { name: "all", hits: "few" },
        ...filtersBy("id", { few: scheduleId("FETCH_PAYMENTS"), none: "none" }),
        ...filtersBy("connector_id", { few: connector, none: "none" }),
      ],
    }),
    ...readsOf(world, {
      name: "runs of a schedule",
      paths: [`${schedules}/${scheduleId("FETCH_PAYMENTS")}/instances`],
      filters: [ALL],
      cursor: { list: "schedule-instances" },
    }),
    plainRead(world, {
      list: "one task",
      name: "v3",
      path: `/api/payments/v3/tasks/${task("task_777")}`,
    }),
  ];
}

/** The creation date of the middle connector; see `ListWorld`. */
const MIDDLE = at(CONNECTORS_MAX / 2);

function fillSchedules(world: ListWorld): void {
  world.insert("payment_schedules", CONNECTORS_MAX * TASKS.length, (place) => ({
    connector_key: Math.floor(place / TASKS.length) + 1,
    task: TASKS[place % TASKS.length] ?? "",
    created_at: at(0),
    next_at: at(COUNT),
  }));
  world.insert("payment_instances", CONNECTORS_MAX * TASKS.length * INSTANCES_KEPT, (place) => ({
    schedule_key: Math.floor(place / INSTANCES_KEPT) + 1,
    created_at: createdAt(place),
    updated_at: createdAt(place),
    terminated_at: createdAt(place),
  }));
}

function fillTasks(world: ListWorld): void {
  world.insert("payment_tasks", COUNT, (place) => ({
    reference: `task_${place}`,
    provider: "generic",
    connector_reference: world.connector.id.reference,
    connector_key: world.connector.key,
    status: "SUCCEEDED",
    created_at: createdAt(place),
    updated_at: createdAt(place),
  }));
}
