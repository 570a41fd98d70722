import { Send } from "lucide-react";
import { useState } from "react";
import { type WebhookEndpoint, WEBHOOKS_KEY } from "./queries.ts";
import type { WriteCall } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { CheckList, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite, type Write } from "#console/parts/forms/use-write.ts";
import { developerWords } from "#console/places/developers/words.ts";
import { parseJson } from "#platform/json.ts";

/** What is done with an endpoint while one looks at its deliveries. */
export const EndpointActions = ({ config }: { readonly config: WebhookEndpoint }) => (
  <>
    <TestButton id={config.id} />
    {config.active && <ReplayMany id={config.id} />}
  </>
);

function TestButton({ id }: { readonly id: string }) {
  const words = developerWords().webhooks;
  const write = useWrite((configId: string) =>
    florin.get("/api/webhooks/configs/{id}/test", { path: { id: configId } }),
  );
  return (
    <FormDialog
      title={words.test}
      trigger={
        <>
          <Send aria-hidden size={14} />
          {words.test}
        </>
      }
    >
      {() => <Test id={id} write={write} />}
    </FormDialog>
  );
}

type TestWrite = Write<string, { data: TestAttempt }>;

interface TestAttempt {
  readonly statusCode: number;
  readonly status: "success" | "failed";
  readonly payload: string;
}

/** The test request and what the endpoint has answered to it. */
function Test({ id, write }: { readonly id: string; readonly write: TestWrite }) {
  const words = developerWords().webhooks;
  const { isSending, error, output } = write;
  const answer = output?.data;
  return (
    <div className="space-y-4">
      <p className="text-muted">{words.testHint}</p>
      {isSending && <LoadingRows rows={1} />}
      {error !== null && <Failure error={error} title={words.testFailed} />}
      {answer !== undefined && (
        <>
          <Facts>
            <Fact name={words.answer}>
              <Status tone={answer.status === "success" ? "good" : "bad"}>
                {answer.statusCode === 0 ? words.noAnswer : String(answer.statusCode)}
              </Status>
            </Fact>
          </Facts>
          <div>
            <p className="mb-1 text-muted">{words.sent}</p>
            <JsonView value={readBody(answer.payload)} />
          </div>
        </>
      )}
      <div className="flex justify-end">
        <Button kind="primary" disabled={isSending} onClick={() => write.send(id)}>
          {answer === undefined ? words.sendTest : words.sendAgain}
        </Button>
      </div>
    </div>
  );
}

/** A body of a request as JSON, or as the text that it is. */
export function readBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

type ReplayStatus = "failed" | "pending";

interface ReplayInput {
  readonly statuses: readonly ReplayStatus[];
  /** From when on and until when deliveries came, in the viewer's zone; an empty end is now. */
  readonly from: string;
  readonly until: string;
}

interface ReplayCount {
  readonly replayed: number;
  readonly expedited: number;
  readonly skipped: number;
}

const DAY_MS = 86_400_000;

/** The replay of all deliveries of a time that have failed or wait. It goes on page by page, and can be left. */
function ReplayMany({ id }: { readonly id: string }) {
  const words = developerWords().webhooks;
  return (
    <FormDialog title={words.replayMany} trigger={words.replayMany}>
      {(close) => <ReplayForm id={id} close={close} />}
    </FormDialog>
  );
}

function ReplayForm({ id, close }: { readonly id: string; readonly close: () => void }) {
  const words = developerWords().webhooks;
  const [input, setInput] = useState<ReplayInput>(() => ({
    statuses: ["failed"],
    from: localTime(new Date(Date.now() - 7 * DAY_MS)),
    until: "",
  }));
  const [progress, setProgress] = useState<ReplayCount>();
  const write = useWrite(
    (wanted: ReplayInput, call) => replayAll(id, wanted, { call, onProgress: setProgress }),
    { refresh: [WEBHOOKS_KEY] },
  );
  const shown = write.output ?? progress;
  if (write.output !== undefined) {
    return (
      <div className="space-y-4">
        <p role="status">{words.replayDone(countsOf(write.output))}</p>
        <div className="flex justify-end">
          <Button kind="primary" onClick={close}>
            {words.done}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <Form
      write={write}
      submit={words.replay}
      onSubmit={() => {
        if (input.statuses.length > 0) write.send(input);
      }}
    >
      <p className="text-muted">{words.replayHint}</p>
      <CheckList
        label={words.whichDeliveries}
        value={input.statuses}
        onChange={(statuses) => setInput({ ...input, statuses })}
        options={[
          ["failed", words.statuses.failed],
          ["pending", words.statuses.pending],
        ]}
      />
      <TextField
        label={words.from}
        type="datetime-local"
        isRequired
        value={input.from}
        onChange={(from) => setInput({ ...input, from })}
      />
      <TextField
        label={words.until}
        type="datetime-local"
        hint={words.untilHint}
        value={input.until}
        onChange={(until) => setInput({ ...input, until })}
      />
      {shown !== undefined && <p role="status">{words.replayProgress(countsOf(shown))}</p>}
    </Form>
  );
}

const countsOf = ({ replayed, expedited, skipped }: ReplayCount) => ({
  again: replayed + expedited,
  skipped,
});

/** A time as an input of the browser has it. */
function localTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, "2026-11-27T08:00".length);
}

/** Replays page by page. Each page has a key of its own that follows from that of the whole, so that a repetition does nothing twice. */
async function replayAll(
  id: string,
  { statuses, from, until }: ReplayInput,
  {
    call,
    onProgress,
  }: { readonly call: WriteCall; readonly onProgress: (count: ReplayCount) => void },
): Promise<ReplayCount> {
  let count: ReplayCount = { replayed: 0, expedited: 0, skipped: 0 };
  let cursor: string | undefined;
  let page = 0;
  const end = until === "" ? {} : { createdAtTo: new Date(until).toISOString() };
  do {
    const body = {
      createdAtFrom: new Date(from).toISOString(),
      ...end,
      statuses: [...statuses],
      configIds: [id],
      ...(cursor === undefined ? {} : { cursor }),
    };
    page += 1;
    const { data } = await florin.post(
      "/api/webhooks/deliveries/replay",
      { body },
      call.withKey(`${call.idempotencyKey}-${page}`),
    );
    count = {
      replayed: count.replayed + data.replayed,
      expedited: count.expedited + data.expedited,
      skipped: count.skipped + data.skipped,
    };
    onProgress(count);
    cursor = data.hasMore ? data.nextCursor : undefined;
  } while (cursor !== undefined);
  return count;
}
