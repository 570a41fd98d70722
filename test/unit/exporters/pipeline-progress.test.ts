import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LedgerCatalogue } from "#modules/catalogue/index.ts";
import type { Progress } from "#modules/exporters/delivery/progress.ts";
import { PipelineService } from "#modules/exporters/services/pipeline-service.ts";
import type { ExporterStore } from "#modules/exporters/store/exporter-store.ts";
import type { PipelineStore } from "#modules/exporters/store/pipeline-store.ts";
import { systemContext } from "#platform/context.ts";

const PIPELINE = { ledger: "main", exporterId: "e", enabled: true, resets: 0, createdAt: "" };

/** A service with two pipelines of one ledger, whose objects report the given progress. */
function serviceOf(progressOf: Readonly<Record<string, () => Promise<Partial<Progress>>>>) {
  const rows = Object.keys(progressOf).map((id) => ({ ...PIPELINE, id }));
  const env = { PIPELINES: { getByName: (id: string) => ({ progress: progressOf[id] }) } };
  const stores = {
    pipelines: { list: async () => rows, find: async () => rows[0] },
    ledgers: { find: async () => ({ name: "main" }) },
    exporters: {},
  };
  // The code under test uses no other members of the three casts.
  return new PipelineService(systemContext(env as unknown as Env, "test"), {
    pipelines: stores.pipelines as unknown as PipelineStore,
    ledgers: stores.ledgers as unknown as LedgerCatalogue,
    exporters: stores.exporters as ExporterStore,
  });
}

const hang = () => new Promise<never>(() => undefined);

describe("a pipeline whose object hangs", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("a pipeline whose object hangs is listed without its progress, and the others with theirs", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const service = serviceOf({ a: hang, b: async () => ({ resets: 0, lastLogId: 5 }) });
    const listed = service.list("main");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await listed).toEqual([
      {
        ...PIPELINE,
        id: "a",
        progress: undefined,
        failure: {
          count: 1,
          sinceMs: Date.now(),
          lastMs: Date.now(),
          message: "the pipeline is busy or was restarted; try again",
        },
      },
      { ...PIPELINE, id: "b", progress: { resets: 0, lastLogId: 5 }, failure: undefined },
    ]);
    expect(logged).toHaveBeenCalledOnce();
    logged.mockRestore();
  });

  test("a pipeline whose object hangs is not shown alone", async () => {
    const shown = serviceOf({ a: hang }).get({ ledger: "main", id: "a" });
    const refusal = shown.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await refusal).toMatchObject({ kind: "OVERLOADED" });
  });
});

test("a bug in the object of a pipeline is not hidden", async () => {
  const bug = new TypeError("x is not a function");
  const service = serviceOf({ a: () => Promise.reject(bug) });
  await expect(service.list("main")).rejects.toBe(bug);
});
