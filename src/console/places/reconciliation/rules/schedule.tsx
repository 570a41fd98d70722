import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ScheduleFields, scheduleDraftOf, scheduleOf } from "./schedule-fields.tsx";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact } from "#console/parts/base/facts.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import {
  LIVE_MS,
  RECONCILIATION_KEY,
  type Rule,
  type RuleSchedule,
} from "#console/places/reconciliation/queries/common.ts";
import { scheduleQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** A schedule in a few words. */
export function scheduleText({
  kind,
  expr = "",
  tz = "UTC",
  types = [],
  debounce = "",
}: RuleSchedule): string {
  const words = reconciliationWords().schedule;
  if (kind === "cron") return words.cron(expr, tz);
  return kind === "events" ? words.events(formatCount(types.length), debounce) : words.none;
}

interface LiveProps {
  readonly rule: Pick<Rule, "id" | "enabled">;
  /** Time between two reads, in milliseconds. */
  readonly everyMs: number;
}

/** When a rule runs. A list of rules shows one on events as on request, so that its own schedule is read. */
export function ScheduleName({ rule: { id }, everyMs }: LiveProps) {
  const { data } = useQuery({ ...scheduleQuery(id), refetchInterval: everyMs });
  return data === undefined ? null : <Foreign>{scheduleText(data)}</Foreign>;
}

/** The next time of a rule, or why there is none. */
export function NextRun({ rule: { id, enabled }, everyMs }: LiveProps) {
  const words = reconciliationWords();
  const { data } = useQuery({ ...scheduleQuery(id), refetchInterval: everyMs });
  if (data === undefined) return null;
  if (data.nextAt !== undefined) return <Moment at={data.nextAt} />;
  const { afterEvent, noNext } = words.schedule;
  return (
    <span className="text-muted">
      {!enabled ? words.paused : data.kind === "events" ? afterEvent : noNext}
    </span>
  );
}

/** The schedule of a rule with its parts, as facts. */
export function ScheduleFacts({ rule }: { readonly rule: Rule }) {
  const { fields, schedule: words } = reconciliationWords();
  const { data } = useQuery(scheduleQuery(rule.id));
  const { types = [], safetyMargin } = data ?? {};
  return (
    <>
      <Fact name={fields.schedule}>
        <ScheduleName rule={rule} everyMs={LIVE_MS} />
      </Fact>
      <Fact name={fields.next}>
        <NextRun rule={rule} everyMs={LIVE_MS} />
      </Fact>
      {types.length > 0 && (
        <Fact name={words.types}>
          <ul>
            {types.map((type) => (
              <li key={type} className="font-mono text-note">
                <Foreign>{type}</Foreign>
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {safetyMargin !== undefined && <Fact name={words.margin}>{safetyMargin}</Fact>}
    </>
  );
}

/** The button and the form of another schedule. */
export function ChangeSchedule({ id }: { readonly id: string }) {
  const words = reconciliationWords().schedule;
  const { data } = useQuery(scheduleQuery(id));
  if (data === undefined) return null;
  return (
    <FormDialog trigger={words.change} title={words.changeTitle}>
      {(close) => <ScheduleForm id={id} schedule={data} close={close} />}
    </FormDialog>
  );
}

function ScheduleForm({
  id,
  schedule,
  close,
}: {
  readonly id: string;
  readonly schedule: RuleSchedule;
  readonly close: () => void;
}) {
  const [draft, setDraft] = useState(() => scheduleDraftOf(schedule));
  const write = useWrite(
    (body: ReturnType<typeof scheduleOf>, call) =>
      florin.put(
        "/api/florin/v1/reconciliation/rules/{ruleID}/schedule",
        { path: { ruleID: id }, body },
        call,
      ),
    {
      refresh: [
        [...RECONCILIATION_KEY, "rules"],
        [...RECONCILIATION_KEY, "rule", id],
      ],
      onDone: close,
    },
  );
  return (
    <Form
      write={write}
      submit={reconciliationWords().schedule.submit}
      onSubmit={() => write.send(scheduleOf(draft))}
    >
      <ScheduleFields draft={draft} onChange={setDraft} />
    </Form>
  );
}
