import { useMemo } from "react";
import { ObjectLink } from "./object-link.tsx";
import { linksOf } from "./spans.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import type { Tone } from "#console/parts/base/status.tsx";
import { Timeline, type TimelineEntry } from "#console/parts/layout/timeline.tsx";
import type { Moment } from "#console/places/workflows/queries.ts";
import type { StageView } from "#console/places/workflows/stages.ts";
import { textOf } from "#console/places/workflows/values.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** Everything that has happened to an instance, in words. */
export function Happened({
  moments,
  stages,
}: {
  readonly moments: readonly Moment[];
  readonly stages: readonly StageView[];
}) {
  const named = useMemo(() => withNames(moments), [moments]);
  return <Timeline entries={named.map((moment, place) => toEntry(moment, place, stages))} />;
}

/** Moments in which a failed attempt has the name of its activity: the one that began last. */
function withNames(moments: readonly Moment[]): readonly Moment[] {
  let name: unknown;
  return moments.map((moment) => {
    if (moment.kind === "activity-started") name = moment.data["name"];
    return moment.kind === ATTEMPT_FAILED ? { ...moment, data: { ...moment.data, name } } : moment;
  });
}

const ATTEMPT_FAILED = "activity-attempt-failed";

function toEntry(moment: Moment, place: number, stages: readonly StageView[]): TimelineEntry {
  const { at, kind, data } = moment;
  const problem = textOf(data["error"]);
  const links = kind === "activity-started" ? [] : linksOf(moment);
  const note = (
    <>
      {problem !== "" && <Foreign>{problem}</Foreign>}
      {links.map((link) => (
        <p key={`${link.kind} ${link.id}`}>
          <ObjectLink link={link} />
        </p>
      ))}
    </>
  );
  return {
    id: String(place),
    at,
    tone:
      kind === ATTEMPT_FAILED
        ? "warn"
        : (TONES[kind.slice(kind.lastIndexOf("-") + 1)] ?? "neutral"),
    title: <Foreign>{titleOf(moment, stages)}</Foreign>,
    ...(problem === "" && links.length === 0 ? {} : { note }),
  };
}

/** The tone of a moment by the last word of its kind. */
const TONES: Readonly<Record<string, Tone>> = {
  started: "neutral",
  succeeded: "good",
  failed: "bad",
  retried: "neutral",
  received: "good",
  ignored: "warn",
};

function titleOf({ kind, stage, data }: Moment, stages: readonly StageView[]): string {
  const words = workflowWords();
  const title = words.moments[kind as keyof typeof words.moments]; // A kind without words is shown as it is.
  if (title === undefined) return kind;
  if (typeof title === "string") return title;
  const name = textOf(data["name"]);
  if (kind.startsWith("event-")) return title(name);
  if (kind.startsWith("activity-")) return title(words.activities[name] ?? name);
  const number = stage ?? 0;
  return title(words.instancePage.stage(String(number + 1), stages[number]?.title ?? ""));
}
