import { AnnouncementPace, resendWaitMs } from "./announcement-pace.ts";
import { EntryCauses } from "./entry-causes.ts";
import { type LedgerBacklog, ledgerBacklog } from "./ledger-backlog.ts";
import { ledgerGauge } from "./ledger-gauge.ts";
import { unpublishedRange } from "./log-ranges.ts";
import type { LedgerEngine } from "#ledger-engine";
import { logError } from "#platform/log.ts";
import type { Alarms } from "#platform/objects/alarms.ts";

/** The parts of the ledger's object that an announcer uses. */
export interface AnnouncerPorts {
  readonly alarms: Pick<Alarms<"events">, "isSet" | "set">;
  readonly queue: Pick<Env["EVENTS"], "send">;
  readonly waitUntil: (work: Promise<void>) => void;
  /** The open ledger of this turn. After a purge, the object may have another one than before, or none. */
  readonly openLedger: () => LedgerEngine | undefined;
  /** Why a consumer cannot read the log now; undefined if it can. */
  readonly refusal: () => unknown;
  /** Called for each message, with the name of the ledger. */
  readonly onMessage: (ledger: string) => Promise<void>;
  /** Told when events had to be announced again, and when all are confirmed. */
  readonly backlog: LedgerBacklog;
}

/** The announcer of a ledger's object. */
export function announcerOf(
  ctx: DurableObjectState,
  env: Env,
  ports: Pick<AnnouncerPorts, "alarms" | "openLedger" | "refusal">,
): EventAnnouncer {
  const gauge = ledgerGauge(ctx, env);
  return new EventAnnouncer({
    ...ports,
    queue: env.EVENTS,
    waitUntil: (work) => ctx.waitUntil(work),
    onMessage: (ledger) => gauge.look(ledger),
    backlog: ledgerBacklog(ctx, env),
  });
}

/**
 * Announces the events of a ledger's log to the consumers. One message names all commits of a short while, and the next message follows the
 * confirmation of the first, so that a consumer that lags gets larger ranges, and never the same range twice:
 *
 *     commit ─► alarm is stored in the commit's turn            the events follow, whatever happens to the message
 *       └─► pause of the pace ─► message ─► queue ─► consumer ─► confirmed ─► next message, if there are more commits
 *                                  ✗ lost          ✗ crash
 *     alarm ─► not confirmed? ─► message again, later each time
 */
export class EventAnnouncer {
  readonly #ports: AnnouncerPorts;
  readonly #pace = new AnnouncementPace();
  /** Whether a message is about to be sent. */
  #isPending = false;
  /** The number of times that the alarm has sent events again since one was confirmed. */
  #resends = 0;
  readonly #causes = new EntryCauses();
  /** Id of the last log entry of the message that is under way. */
  #announcedLogId = 0;

  constructor(ports: AnnouncerPorts) {
    this.#ports = ports;
  }

  /** Does a write, and remembers what has caused the entries that it adds to the log. */
  caused<T>(engine: LedgerEngine, cause: string | undefined, write: () => T): T {
    const before = engine.lastLogId;
    const made = write();
    const to = engine.lastLogId;
    if (cause !== undefined && to > before) this.#causes.note({ from: before + 1, to, cause });
    return made;
  }

  /** Announces the entries of a log that are not confirmed, unless a message is under way. */
  announce(engine: LedgerEngine): void {
    if (engine.publishedLogId >= engine.lastLogId) return;
    const { alarms, waitUntil, openLedger } = this.#ports;
    if (!alarms.isSet("events")) this.#armResend();
    if (this.#isPending || engine.publishedLogId < this.#announcedLogId) return;
    this.#isPending = true;
    setTimeout(() => {
      this.#isPending = false;
      const open = openLedger();
      if (open !== undefined) waitUntil(this.#send(open));
    }, this.#pace.waitMs(Date.now()));
  }

  /** Notes that the events up to a log entry were confirmed, and announces the entries that follow. */
  confirm(engine: LedgerEngine, to: number): void {
    engine.confirmPublished(to);
    this.#resends = 0;
    this.#pace.confirmed(Date.now());
    this.#causes.confirmed(engine.publishedLogId);
    const { backlog, waitUntil } = this.#ports;
    if (engine.publishedLogId >= engine.lastLogId) {
      waitUntil(backlog.isConfirmed(engine.info.name));
    }
    this.announce(engine);
  }

  /** Announces again the entries that no consumer has confirmed: a message may be lost, and a crash may come before a message is sent. */
  async resend(): Promise<void> {
    if (this.#ports.refusal() !== undefined) return this.#armResend();
    const engine = this.#ports.openLedger();
    if (engine === undefined || engine.publishedLogId >= engine.lastLogId) return;
    this.#resends++;
    this.#armResend();
    this.#ports.waitUntil(this.#ports.backlog.lags(engine));
    await this.#send(engine);
  }

  /** Forgets the messages of a ledger whose storage is deleted. */
  clear(): void {
    this.#resends = 0;
    this.#announcedLogId = 0;
    this.#causes.clear();
  }

  #armResend(): void {
    this.#ports.alarms.set("events", Date.now() + resendWaitMs(this.#resends));
  }

  async #send(engine: LedgerEngine): Promise<void> {
    if (engine.publishedLogId >= engine.lastLogId) return;
    const { queue, waitUntil, onMessage } = this.#ports;
    const { name } = engine.info;
    const range = unpublishedRange(engine);
    const causes = this.#causes.within(range.from, range.to);
    const message = causes === undefined ? range : { ...range, causes };
    this.#announcedLogId = message.to;
    waitUntil(onMessage(name));
    this.#pace.sent(message.to - message.from + 1, Date.now());
    try {
      await queue.send(message);
    } catch (error) {
      this.#announcedLogId = 0;
      logError("events could not be announced; the alarm announces them again", error, {
        ledger: name,
      });
    }
  }
}
