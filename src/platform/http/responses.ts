import type { z } from "@hono/zod-openapi";
import type { ListAnswer, TextAnswer } from "./answers.ts";
import { ERROR_DESCRIPTIONS, ErrorResponse } from "./schemas.ts";
import type { ErrorStatus } from "#platform/errors.ts";
import type { JsonText } from "#platform/json.ts";

export type Responses = Readonly<Record<number, ResponseSpec>>;
export interface ResponseSpec<S extends z.ZodType = z.ZodType> {
  readonly description: string;
  readonly schema?: S;
  readonly headers?: z.ZodObject;
  /** The content type of an answer that is sent text by text, as the texts are made. */
  readonly contentType?: string;
  /** Whether the list in `data` is sent page by page, as the pages are made. */
  readonly isLongList?: true;
}

export const json = <S extends z.ZodType>(description: string, schema: S) => ({
  description,
  schema,
});

/** A JSON answer with one long list, which is made and sent page by page. */
export const longList = <S extends z.ZodType>(description: string, schema: S) =>
  ({ description, schema, isLongList: true }) as const;

/** An answer with another content type, which is made and sent text by text. */
export const texts = <C extends string>(description: string, contentType: C) => ({
  description,
  contentType,
});

export const empty = (description: string) => ({ description });

/** The error statuses that follow from the other parts of an operation, so that no operation declares them; see `commonErrors`. */
type CommonStatus = 400 | 401 | 500 | 503 | 507;

/** An error status that an operation declares itself. */
export type OwnErrorStatus = Exclude<ErrorStatus, CommonStatus>;

/** The error answers that an operation declares besides the common ones. */
export const errors = (...statuses: readonly OwnErrorStatus[]) => errorResponses(statuses);

export const errorResponses = (statuses: readonly ErrorStatus[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, json(ERROR_DESCRIPTIONS[status], ErrorResponse)]),
  ) as Record<never, ResponseSpec>; // Handlers throw error answers and never return them.

type BodyOf<R> = R extends { schema: infer S extends z.ZodType } ? z.input<S> : undefined;

/** The possible results of a handler: one of the declared answers, with a body of its schema. */
export type Answer<R extends Responses> = {
  [S in keyof R & number]: R[S] extends { contentType: string }
    ? TextAnswer<S>
    : R[S] extends { isLongList: true }
      ? ListAnswer<S, BodyOf<R[S]>>
      : BodyOf<R[S]> extends undefined
        ? { status: S; headers?: Readonly<Record<string, string>> }
        :
            | { status: S; body: BodyOf<R[S]>; headers?: Readonly<Record<string, string>> }
            | {
                status: S;
                written: JsonText<BodyOf<R[S]>>;
                headers?: Readonly<Record<string, string>>;
              };
}[keyof R & number];
