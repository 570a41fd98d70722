import { expect, test } from "vitest";
import { GroupCommit } from "#modules/ledger/objects/group-commit.ts";

/** A group commit whose flushes the test ends. */
function controlled() {
  const flushes: PromiseWithResolvers<void>[] = [];
  const commits = new GroupCommit(() => {
    const flush = Promise.withResolvers<void>();
    flushes.push(flush);
    return flush.promise;
  });
  return { commits, flushes };
}

test("a write without others runs at once", async () => {
  const { commits, flushes } = controlled();
  const ran: string[] = [];
  const result = commits.run(() => ran.push("first"));
  expect(ran).toEqual(["first"]);
  expect(await result).toBe(1);
  expect(flushes).toHaveLength(1);
});

test("writes that come during a flush wait for it, and then share one", async () => {
  const { commits, flushes } = controlled();
  const ran: string[] = [];
  await commits.run(() => ran.push("first"));
  const others = ["second", "third"].map((name) => commits.run(() => ran.push(name)));
  expect(ran).toEqual(["first"]);
  flushes[0]?.resolve();
  expect(await Promise.all(others)).toEqual([2, 3]);
  expect(ran).toEqual(["first", "second", "third"]);
  expect(flushes).toHaveLength(2);
});

test("a write that throws fails alone", async () => {
  const { commits, flushes } = controlled();
  await commits.run(() => undefined);
  const bad = commits.run(() => {
    throw new Error("a bug");
  });
  const good = commits.run(() => "kept");
  flushes[0]?.resolve();
  await expect(bad).rejects.toThrow("a bug");
  expect(await good).toBe("kept");
});

test("a flush that fails does not block later writes", async () => {
  const { commits, flushes } = controlled();
  await commits.run(() => undefined);
  const next = commits.run(() => "ran");
  flushes[0]?.reject(new Error("the disk is full"));
  expect(await next).toBe("ran");
  flushes[1]?.resolve();
  await flushes[1]?.promise;
  expect(await commits.run(() => "again")).toBe("again");
});
