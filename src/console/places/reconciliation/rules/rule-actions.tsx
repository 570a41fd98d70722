import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Pause, Play, RotateCw } from "lucide-react";
import { useState } from "react";
import { ChangeRule } from "./rule-form.tsx";
import { florin } from "#console/api/florin.ts";
import { DeleteButton } from "#console/parts/forms/delete-button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { toInstant } from "#console/parts/time/instant.ts";
import { mayChange } from "#console/places/reconciliation/common/reach.ts";
import { RECONCILIATION_KEY, type Rule } from "#console/places/reconciliation/queries/common.ts";
import { scheduleQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** What can be done with a rule. A rule that is paused is not run. */
export function RuleActions({ rule }: { readonly rule: Rule }) {
  const { data: schedule } = useQuery(scheduleQuery(rule.id));
  return (
    <>
      <DeleteRule id={rule.id} />
      {schedule !== undefined && mayChange(schedule) && (
        <>
          <PauseRule rule={rule} />
          <ChangeRule rule={rule} />
        </>
      )}
      {rule.enabled && <RunRule id={rule.id} />}
    </>
  );
}

function DeleteRule({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      words={reconciliationWords().rules}
      remove={(call) =>
        florin.delete("/api/reconciliation/rules/{ruleID}", { path: { ruleID: id } }, call)
      }
      refresh={[[...RECONCILIATION_KEY, "rules"]]}
      onDone={() => navigate({ to: "/reconciliation/rules" })}
    />
  );
}

/** Pauses a rule that runs, and lets one that is paused run again. */
function PauseRule({ rule: { id, enabled } }: { readonly rule: Rule }) {
  const words = reconciliationWords().rules;
  const write = useWrite(
    ({ close: _close, ...body }: { readonly enabled: boolean; readonly close: () => void }, call) =>
      florin.patch("/api/reconciliation/rules/{ruleID}", { path: { ruleID: id }, body }, call),
    { refresh: [RECONCILIATION_KEY], onDone: (_, { close }) => close() },
  );
  const Sign = enabled ? Pause : Play;
  return (
    <ConfirmButton
      trigger={
        <>
          <Sign aria-hidden size={14} />
          {enabled ? words.pause : words.resume}
        </>
      }
      title={enabled ? words.pauseTitle : words.resumeTitle}
      submit={enabled ? words.pause : words.resume}
      isRisky={false}
      write={write}
      onConfirm={(close) => write.send({ enabled: !enabled, close })}
    >
      <p>{enabled ? words.pauseText : words.resumeText}</p>
    </ConfirmButton>
  );
}

function RunRule({ id }: { readonly id: string }) {
  const words = reconciliationWords().rules;
  return (
    <FormDialog
      kind="primary"
      title={words.runTitle}
      trigger={
        <>
          <RotateCw aria-hidden size={14} />
          {words.run}
        </>
      }
    >
      {() => <RunForm id={id} />}
    </FormDialog>
  );
}

/** The form of a run, as of now or as of a moment. It leads to what the run has found. */
function RunForm({ id }: { readonly id: string }) {
  const words = reconciliationWords();
  const navigate = useNavigate();
  const [at, setAt] = useState("");
  const [margin, setMargin] = useState("0s");
  const write = useWrite(
    (body: { readonly at?: string; readonly safetyMargin?: string }, call) =>
      florin.post(
        "/api/reconciliation/rules/{ruleID}/evaluate",
        { path: { ruleID: id }, body },
        call,
      ),
    {
      refresh: [RECONCILIATION_KEY],
      onDone: async ({ data }) => {
        await navigate({ to: "/reconciliation/evaluations/$id", params: { id: data.id } });
      },
    },
  );
  const send = (): void =>
    write.send({
      ...(at === "" ? {} : { at: toInstant(at) }),
      ...(margin === "" ? {} : { safetyMargin: margin }),
    });
  return (
    <Form write={write} submit={words.rules.runSubmit} onSubmit={send}>
      <p className="text-muted">{words.rules.runText}</p>
      <TextField
        label={words.rules.at}
        type="datetime-local"
        value={at}
        onChange={setAt}
        hint={words.rules.atHint}
      />
      <TextField
        label={words.rules.margin}
        value={margin}
        onChange={setMargin}
        hint={words.schedule.marginHint}
        placeholder="30s"
        isCode
      />
    </Form>
  );
}
