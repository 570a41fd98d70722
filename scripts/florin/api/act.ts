import { randomUUID } from "node:crypto";
import { z } from "zod";
import { rowsOf, type ShownFields } from "./fields.ts";
import { pathOf } from "./paths.ts";
import { columns } from "#scripts/florin/columns.ts";
import { type Call, type Option, type Outcome, type Verb, YES } from "#scripts/florin/command.ts";
import { type Api, type ApiRequest, UnclearError } from "#scripts/lib/api.ts";

/** A change by the API: what `act` makes a verb of. */
export interface ActSpec {
  readonly summary: string;
  readonly parameters?: readonly string[];
  readonly words?: string;
  readonly options?: Readonly<Record<string, Option>>;
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path of the operation, with the parameters as `{names}`. */
  readonly path: string;
  readonly scope: string;
  /** Scopes that the operation needs besides. */
  readonly moreScopes?: readonly string[];
  /** Parameters of the query. */
  readonly query?: (call: Call) => Readonly<Record<string, string | undefined>>;
  /** The body of the request. */
  readonly body?: (call: Call) => unknown;
  /** Whether the operation takes an idempotency key, so that a repetition with the same key does nothing more. */
  readonly isIdempotent?: boolean;
  /** What is lost, in a sentence, and the name that the operator types again. */
  readonly loses?: (call: Call) => { readonly name: string; readonly loss: string };
  /** What the verb says when it is done: a sentence, or the fields of the answer's `data`. */
  readonly says: ((call: Call, data: unknown) => string) | ShownFields;
}

/** A verb that changes something by one operation of the API. */
export const act = (spec: ActSpec): Verb => ({
  summary: spec.summary,
  ...(spec.parameters === undefined ? {} : { parameters: spec.parameters }),
  ...(spec.words === undefined ? {} : { words: spec.words }),
  options: {
    ...spec.options,
    ...(spec.isIdempotent === true ? IDEMPOTENCY : {}),
    ...(spec.loses === undefined ? {} : YES),
  },
  operation: { method: spec.method, path: spec.path, scope: spec.scope },
  run: async (call) => {
    const path = pathOf(spec.path, call);
    const body: unknown = await spec.body?.(call);
    const query = spec.query?.(call) ?? {};
    const request = { method: spec.method, path, query, ...(body === undefined ? {} : { body }) };
    if (spec.loses !== undefined) {
      const { name, loss } = spec.loses(call);
      await call.confirm(name, loss);
    }
    const api = await call.connect([spec.scope, ...(spec.moreScopes ?? [])]);
    const answer =
      spec.isIdempotent === true
        ? await callOnce(api, call, { ...request, answer: Anything })
        : await api.call({ ...request, answer: Anything });
    return outcomeOf(answer, call, spec.says);
  },
});

const Anything = z.unknown();

/** The option of a verb that is safe to repeat. */
export const IDEMPOTENCY: Readonly<Record<"idempotency-key", Option>> = {
  "idempotency-key": {
    kind: "text",
    meaning:
      "the key with which a repetition does nothing more; by default a new one, which is printed where it is not clear what happened",
  },
};

/** Calls an operation with an idempotency key. Where the answer is missing, a note says how to repeat the command safely. */
export async function callOnce<S extends z.ZodType>(
  api: Api,
  call: Call,
  request: ApiRequest<S>,
): Promise<z.output<S>> {
  const key = call.text("idempotency-key") ?? randomUUID();
  const sayHowToRepeat = (): void =>
    call.note(
      `Nobody knows whether it was done. Repeat the command with --idempotency-key ${key}: then it is done once.`,
    );
  // Ctrl-C ends the program in another listener, which runs after this one.
  process.prependOnceListener("SIGINT", sayHowToRepeat);
  try {
    return await api.call({ ...request, headers: { "idempotency-key": key } });
  } catch (error) {
    if (error instanceof UnclearError) sayHowToRepeat();
    throw error;
  } finally {
    process.removeListener("SIGINT", sayHowToRepeat);
  }
}

function outcomeOf(answer: unknown, call: Call, says: ActSpec["says"]): Outcome {
  const parsed = z.object({ data: z.unknown() }).safeParse(answer);
  const data: unknown = parsed.success ? parsed.data.data : (answer ?? {});
  const lines = typeof says === "function" ? [says(call, data)] : columns(rowsOf(data, says));
  return { data, lines };
}
