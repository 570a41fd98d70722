import { eventTypes } from "./event-types.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { CheckList, TextField } from "#console/parts/forms/fields.tsx";
import { visible } from "#console/parts/language/visible.ts";
import type { RuleSchedule } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** A schedule as the form has it: the fields of all kinds, of which those of the chosen kind count. */
export interface ScheduleDraft {
  readonly kind: RuleSchedule["kind"];
  readonly expr: string;
  readonly tz: string;
  readonly safetyMargin: string;
  readonly types: readonly string[];
  readonly debounce: string;
}

export const scheduleDraftOf = (schedule: RuleSchedule): ScheduleDraft => ({
  kind: schedule.kind,
  expr: schedule.expr ?? "0 6 * * *",
  tz: schedule.tz ?? (schedule.kind === "cron" ? "" : OWN_ZONE),
  safetyMargin: schedule.safetyMargin ?? "",
  types: schedule.types ?? eventTypes().slice(0, 1),
  debounce: schedule.debounce ?? "30s",
});

const OWN_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZONES = Intl.supportedValuesOf("timeZone");

/** The request of the API for a draft. */
export function scheduleOf(draft: ScheduleDraft) {
  const { kind, expr, tz, safetyMargin, types, debounce } = draft;
  if (kind === "on_demand") return { kind };
  if (kind === "events") return { kind, types: [...types], debounce };
  const margin = safetyMargin === "" ? {} : { safetyMargin };
  return { kind, expr, ...(tz === "" ? {} : { tz }), ...margin };
}

/** A duration as the API has it. */
const DURATION = String.raw`(\d+(\.\d+)?(ms|s|m|h))+`;

/** The inputs of a schedule: on request only, at times, or after events. */
export function ScheduleFields({
  draft,
  onChange,
}: {
  readonly draft: ScheduleDraft;
  readonly onChange: (draft: ScheduleDraft) => void;
}) {
  const words = reconciliationWords().schedule;
  const set = (next: Partial<ScheduleDraft>): void => onChange({ ...draft, ...next });
  const { kind, safetyMargin } = draft;
  return (
    <>
      <Choice
        label={words.title}
        options={[
          ["on_demand", words.kind.on_demand],
          ["cron", words.kind.cron],
          ["events", words.kind.events],
        ]}
        chosen={kind}
        onChoose={(next) => set({ kind: next })}
      />
      {kind === "cron" && <Times draft={draft} onChange={set} />}
      {kind === "cron" && (
        <TextField
          label={words.margin}
          value={safetyMargin}
          onChange={(next) => set({ safetyMargin: next })}
          hint={words.marginHint}
          pattern={DURATION}
          placeholder="30s"
          isCode
        />
      )}
      {kind === "events" && <Events draft={draft} onChange={set} />}
      {kind !== "on_demand" && <p className="text-note text-muted">{words.rights}</p>}
    </>
  );
}

interface PartProps {
  readonly draft: ScheduleDraft;
  readonly onChange: (next: Partial<ScheduleDraft>) => void;
}

function Times({ draft: { expr, tz }, onChange }: PartProps) {
  const words = reconciliationWords().schedule;
  return (
    <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      <TextField
        label={words.expression}
        value={expr}
        onChange={(next) => onChange({ expr: next })}
        hint={words.expressionHint}
        suggestions={["0 6 * * *", "*/15 * * * *", "0 6 * * 1-5", "@hourly", "@every 90m"]}
        isRequired
        isCode
      />
      <TextField
        label={words.zone}
        value={tz}
        onChange={(next) => onChange({ tz: next })}
        suggestions={ZONES}
        placeholder="UTC"
        isCode
      />
    </div>
  );
}

function Events({ draft: { types, debounce }, onChange }: PartProps) {
  const words = reconciliationWords().schedule;
  // Types that somebody else has chosen stay, also where this list does not offer them.
  const offered = [...new Set([...eventTypes(), ...types])];
  return (
    <>
      <CheckList
        label={words.types}
        value={types}
        onChange={(next) => onChange({ types: next })}
        hint={types.length === 0 ? words.noTypes : words.typesHint}
        options={offered.map((type) => [
          type,
          <span key={type} className="font-mono text-note">
            {visible(type)}
          </span>,
        ])}
      />
      <TextField
        label={words.debounce}
        value={debounce}
        onChange={(next) => onChange({ debounce: next })}
        hint={words.debounceHint}
        pattern={DURATION}
        isRequired
        isCode
      />
    </>
  );
}
