import { ClientProcess } from "./client.ts";
import type { Figure } from "./report.ts";
import { READ, type World, WRITE } from "./world.ts";

/** Time after a round until caches and queues count as empty, in milliseconds. */
const SETTLE_MS = 300_000;
/** Requests a second of the well-behaved client in this time: V8 collects no garbage in an isolate without work. */
const REQUESTS_PER_SECOND = 20;

const NAMES = ["first", "second", "third"];

/**
 * The memory of the runtime's process at the end of each round, and after five minutes in which only the well-behaved client sends
 * requests.
 */
export class RoundMemory {
  readonly #world: World;
  readonly #settles: boolean;
  readonly #before: number;
  readonly #rounds: { readonly atEndMb: number; readonly settledMb: number | undefined }[] = [];

  constructor(world: World, { settles }: { settles: boolean }) {
    this.#world = world;
    this.#settles = settles;
    this.#before = this.#nowMb();
  }

  /** Measures the memory after a round, which takes five minutes with `settles`. */
  async endRound(): Promise<void> {
    const atEndMb = this.#nowMb();
    if (this.#settles) await this.#settle();
    this.#rounds.push({ atEndMb, settledMb: this.#settles ? this.#nowMb() : undefined });
  }

  /** The figures of all rounds. The growth from the first to the second round is that of the settled figures, if there are any. */
  figures(growthMbMax: number): Figure[] {
    const scenario = "memory";
    const unit = "MB";
    const figures: Figure[] = [
      { scenario, name: "the runtime before", value: this.#before, unit },
      ...this.#rounds.flatMap(({ atEndMb, settledMb }, index): Figure[] => {
        const round = `the ${NAMES[index] ?? `${index + 1}th`} round`;
        const atEnd: Figure = { scenario, name: `at the end of ${round}`, value: atEndMb, unit };
        if (settledMb === undefined) return [atEnd];
        return [atEnd, { scenario, name: `five minutes after ${round}`, value: settledMb, unit }];
      }),
    ];
    const [first, second] = this.#rounds;
    if (first === undefined || second === undefined) return figures;
    const value = (second.settledMb ?? second.atEndMb) - (first.settledMb ?? first.atEndMb);
    const name = "what the second round adds";
    return [...figures, { scenario, name, value, unit, most: growthMbMax }];
  }

  async #settle(): Promise<void> {
    const client = new ClientProcess();
    const { url: origin, headers } = this.#world.healthy;
    const pace = { kind: "rate", perSecond: REQUESTS_PER_SECOND } as const;
    const stream = { name: "healthy requests", pace, requests: [WRITE, READ], headers };
    try {
      await client.run({ origin, durationMs: SETTLE_MS, streams: [stream] });
    } finally {
      await client.stop();
    }
  }

  #nowMb(): number {
    return (this.#world.checkout.memoryBytes() ?? Number.NaN) / 1e6;
  }
}
