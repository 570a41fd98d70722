import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  deadQueueOf,
  DELIVERIES_MAX,
  EVENTS_QUEUE,
  TRIGGERS_QUEUE,
} from "#platform/dead-letters/given-up.ts";
import { recordedError } from "#platform/log.ts";
import { inProject } from "#scripts/lib/project.ts";

test.each([EVENTS_QUEUE, TRIGGERS_QUEUE] as const)(
  "the queue %s gives a message up after as many deliveries as its consumer counts",
  (queue) => {
    const consumers = readFileSync(inProject("wrangler.toml"), "utf8").split(
      "[[queues.consumers]]",
    );
    const ofQueue = (name: string) =>
      consumers.find((text) => text.startsWith(`\nqueue = "${name}"\n`)) ?? "";
    expect(ofQueue(queue)).toContain(`max_retries = ${DELIVERIES_MAX[queue] - 1}\n`);
    expect(ofQueue(queue)).toContain(`dead_letter_queue = "${deadQueueOf(queue)}"\n`);
    // A hundred is the most that the platform takes: a letter that finds no room comes again for four days.
    expect(ofQueue(deadQueueOf(queue))).toContain("max_retries = 100\n");
  },
);

test("an error is recorded with its causes, without the values of a failed query, and in at most 500 characters", () => {
  const query = Object.assign(new TypeError("values 4711"), { query: "INSERT", params: ["4711"] });
  expect(recordedError(new Error("one", { cause: new TypeError("two") }))).toBe(
    "Error: one; TypeError: two",
  );
  expect(recordedError(new Error("one", { cause: query }))).toBe(
    "Error: one; a query of the database has failed",
  );
  expect(recordedError("text")).toBe("an error without a message");
  expect(recordedError(new Error("x".repeat(900)))).toHaveLength(500);
});
