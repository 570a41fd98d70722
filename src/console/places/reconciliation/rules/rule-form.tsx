import { useNavigate } from "@tanstack/react-router";
import { Pencil, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { CheckFields } from "./check-fields.tsx";
import { FieldGroup } from "./field-group.tsx";
import {
  emptyDraft,
  labelsOf,
  type NewRuleDraft,
  type RuleDraft,
  ruleDraftOf,
  toRuleFields,
} from "./rule-draft.ts";
import { ScheduleFields, scheduleOf } from "./schedule-fields.tsx";
import type { WriteCall } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import {
  RECONCILIATION_KEY,
  type Rule,
  type Severity,
} from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The button and the form of a new rule. */
export function NewRule() {
  const words = reconciliationWords().rules;
  return (
    <FormDialog
      kind="primary"
      isWide
      title={words.create}
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.create}
        </>
      }
    >
      {() => <NewRuleForm />}
    </FormDialog>
  );
}

function NewRuleForm() {
  const { rules: words, fields, cadence, form } = reconciliationWords();
  const navigate = useNavigate();
  const [draft, setDraft, clear] = useDraft("reconciliation.rule", emptyDraft());
  const create = useWrite(createRule, {
    refresh: [[...RECONCILIATION_KEY, "rules"]],
    onDone: async (id) => {
      clear();
      await navigate({ to: "/reconciliation/rules/$id", params: { id } });
    },
  });
  return (
    <Form write={create} submit={words.submit} onSubmit={() => create.send(draft)}>
      <RuleFields draft={draft} onChange={(next) => setDraft({ ...draft, ...next })}>
        <SelectField
          label={form.cadence}
          value={draft.cadence}
          isRequired
          onChange={(next) => setDraft({ ...draft, cadence: next })}
          options={(["continuous", "daily", "weekly", "monthly"] as const).map((each) => [
            each,
            cadence[each],
          ])}
          hint={form.cadenceHint}
        />
      </RuleFields>
      <FieldGroup title={fields.schedule}>
        <ScheduleFields
          draft={draft.schedule}
          onChange={(next) => setDraft({ ...draft, schedule: next })}
        />
      </FieldGroup>
    </Form>
  );
}

/**
 * Creates a rule, and gives its id. A schedule on events has an operation of its own, because clients of the API for rules know none; it may
 * be repeated.
 */
async function createRule(draft: NewRuleDraft, call: WriteCall): Promise<string> {
  const schedule = scheduleOf(draft.schedule);
  const isOnEvents = schedule.kind === "events";
  const { data } = await florin.post(
    "/api/reconciliation/rules",
    {
      body: {
        ...toRuleFields(draft),
        cadence: draft.cadence,
        ...(isOnEvents ? {} : { schedule }),
      },
    },
    call,
  );
  if (isOnEvents) {
    await florin.put(
      "/api/florin/v1/reconciliation/rules/{ruleID}/schedule",
      { path: { ruleID: data.id }, body: schedule },
      call.withKey(undefined),
    );
  }
  return data.id;
}

/** The button and the form that change a rule, but for its schedule. */
export function ChangeRule({ rule }: { readonly rule: Rule }) {
  const words = reconciliationWords().rules;
  return (
    <FormDialog
      isWide
      title={words.changeTitle}
      trigger={
        <>
          <Pencil aria-hidden size={14} />
          {words.change}
        </>
      }
    >
      {(close) => <ChangeForm rule={rule} close={close} />}
    </FormDialog>
  );
}

function ChangeForm({ rule, close }: { readonly rule: Rule; readonly close: () => void }) {
  const { id, updatedAt } = rule;
  // A draft belongs to the state of the rule that it was begun with.
  const [draft, setDraft, clear] = useDraft(
    `reconciliation.rule.${id}.${updatedAt}`,
    ruleDraftOf(rule),
  );
  const change = useWrite(
    (next: RuleDraft, call) =>
      florin.patch(
        "/api/reconciliation/rules/{ruleID}",
        { path: { ruleID: id }, body: toRuleFields(next) },
        call,
      ),
    {
      refresh: [RECONCILIATION_KEY],
      onDone: () => {
        clear();
        close();
      },
    },
  );
  return (
    <Form
      write={change}
      submit={reconciliationWords().rules.save}
      onSubmit={() => change.send(draft)}
    >
      <RuleFields draft={draft} onChange={setDraft} />
    </Form>
  );
}

const SEVERITIES: readonly Severity[] = ["info", "low", "medium", "high", "critical"];

/** The inputs that the forms of a new rule and of a changed one have. */
function RuleFields({
  draft,
  onChange,
  children,
}: {
  readonly draft: RuleDraft;
  readonly onChange: (draft: RuleDraft) => void;
  /** Inputs beside the severity. */
  readonly children?: ReactNode;
}) {
  const { fields, form, severity } = reconciliationWords();
  return (
    <>
      <TextField
        label={fields.name}
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
        isRequired
      />
      <CheckFields draft={draft.check} onChange={(check) => onChange({ ...draft, check })} />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <SelectField
          label={fields.severity}
          value={draft.severity}
          isRequired
          onChange={(next) => onChange({ ...draft, severity: next })}
          options={SEVERITIES.map((each) => [each, severity[each]])}
        />
        {children}
      </div>
      <TextField
        label={form.labels}
        value={draft.labels}
        onChange={(labels) => onChange({ ...draft, labels })}
        hint={form.labelsHint}
        check={(text) => (labelsOf(text) === undefined ? form.labelsWrong : null)}
        rows={2}
        isCode
      />
    </>
  );
}
