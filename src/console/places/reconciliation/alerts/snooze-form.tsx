import { useState } from "react";
import { ByField, useActingName } from "./acting-name.tsx";
import { type SnoozeChoice, snoozeUntil } from "./snooze-times.ts";
import { useAlertAction } from "./use-alert-action.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form } from "#console/parts/forms/form.tsx";
import { toInstant } from "#console/parts/time/instant.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** Silences an alert: until a time that is often wanted, or until another one. */
export function SnoozeForm({ id, close }: { readonly id: string; readonly close: () => void }) {
  const words = reconciliationWords().alerts;
  const [choice, setChoice] = useState<SnoozeChoice | "other">("tomorrow");
  const [time, setTime] = useState("");
  const [by, setBy] = useActingName();
  const [note, setNote] = useState("");
  const [openedMs] = useState(() => Date.now());
  const write = useAlertAction(id, "snooze", close);
  const until = choice === "other" ? toInstant(time) : snoozeUntil(choice, openedMs);
  return (
    <Form write={write} submit={words.snooze} onSubmit={() => write.send({ by, note, until })}>
      <p className="text-muted">{words.snoozeText}</p>
      <Choice
        label={words.until}
        options={[
          ["hour", words.untilHour],
          ["tomorrow", words.untilTomorrow],
          ["monday", words.untilMonday],
          ["other", words.untilOther],
        ]}
        chosen={choice}
        onChoose={setChoice}
      />
      {choice === "other" ? (
        <TextField
          label={words.time}
          type="datetime-local"
          value={time}
          onChange={setTime}
          isRequired
        />
      ) : (
        <p>
          {words.until} <Moment at={until} isWhole />
        </p>
      )}
      <TextField label={words.note} value={note} onChange={setNote} rows={2} />
      <ByField value={by} onChange={setBy} />
    </Form>
  );
}
