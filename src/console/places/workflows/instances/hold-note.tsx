import type { ReactNode } from "react";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { ToneIcon, toneClass } from "#console/parts/base/status.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import type { Instance } from "#console/places/workflows/queries.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** Why an instance does not go on, or why it has failed. */
export function HoldNote({
  hold,
  error,
}: {
  readonly hold: Instance["hold"] | undefined;
  readonly error: string | undefined;
}) {
  const words = workflowWords();
  if (error !== undefined) {
    return (
      <Note tone="bad" title={words.instancePage.error}>
        {error === "canceled" ? words.instancePage.aborted : <Foreign>{error}</Foreign>}
      </Note>
    );
  }
  if (hold === undefined) return null;
  const { event, activity, since, until, attempts, nextAttemptAt, lastFailure } = hold;
  return (
    <Note tone={activity === undefined ? "waits" : "warn"} title={titleOf(hold)}>
      <Facts>
        <Fact name={words.hold.since}>
          <Moment at={since} isWhole />
        </Fact>
        {until !== undefined && event === undefined && (
          <Fact name={words.hold.until}>
            <Moment at={until} isWhole />
          </Fact>
        )}
        {attempts !== undefined && <Fact name={words.hold.attempts}>{formatCount(attempts)}</Fact>}
        {nextAttemptAt !== undefined && (
          <Fact name={words.hold.next}>
            <Moment at={nextAttemptAt} isWhole />
          </Fact>
        )}
        {lastFailure !== undefined && (
          <Fact name={words.hold.lastFailure}>
            <Foreign>{lastFailure}</Foreign>
          </Fact>
        )}
      </Facts>
    </Note>
  );
}

function titleOf({ event, activity }: NonNullable<Instance["hold"]>): string {
  const words = workflowWords();
  if (event !== undefined) return words.hold.event(event);
  return activity === undefined
    ? words.hold.time
    : words.hold.retry(words.activities[activity] ?? activity);
}

const SOFT = { bad: "bg-bad-soft", warn: "bg-warn-soft", waits: "bg-sunken" } as const;

const Note = ({
  tone,
  title,
  children,
}: {
  readonly tone: keyof typeof SOFT;
  readonly title: string;
  readonly children: ReactNode;
}) => (
  <div role="status" className={`mt-5 flex gap-3 rounded-md border border-line p-4 ${SOFT[tone]}`}>
    <span className={`mt-0.5 shrink-0 ${toneClass(tone)}`}>
      <ToneIcon tone={tone} />
    </span>
    <div className="min-w-0 space-y-2">
      <p className="font-medium">
        <Foreign>{title}</Foreign>
      </p>
      <div>{children}</div>
    </div>
  </div>
);
