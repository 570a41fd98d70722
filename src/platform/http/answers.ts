import type { Context } from "hono";
import type { AppEnv, RequestFacts } from "./context.ts";
import { stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";

/** Options for sending a JSON answer. */
interface Sending {
  /** Whether amounts are written as texts; called only for an answer with a body. */
  readonly wantsTexts?: () => boolean;
  /** An empty answer, of status 200, with the headers of all answers. */
  readonly common?: Response;
}

/** Sends the answer of a handler. */
export function respond(
  answer: {
    status: number;
    body?: unknown;
    /** The body, if it is already serialised. */
    written?: string;
    headers?: Readonly<Record<string, string>>;
  },
  { wantsTexts = () => false, common = NO_OTHERS }: Sending = {},
): Response {
  const { status, body, written, headers } = answer;
  const text =
    written ?? (body === undefined ? null : stringifyJson(body, { bigintAsString: wantsTexts() }));
  if (headers !== undefined && Object.keys(headers).length > 0) {
    return new Response(text, { status, headers: withOwn(common.headers, headers) });
  }
  // The runtime copies a response in less time than it takes to read the members of an object.
  return new Response(
    text,
    status === common.status ? common : { status, headers: common.headers },
  );
}

const NO_OTHERS = new Response(null, { headers: { "content-type": "application/json" } });

function withOwn(common: Headers, own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(common);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

const TEXT_WANTED = new Set(["true", "yes", "y", "1"]);

/** Whether a client wants amounts as texts. */
export const wantsTexts = (c: Context<AppEnv>): boolean =>
  TEXT_WANTED.has((c.req.header("formance-bigint-as-string") ?? "").toLowerCase());

/** The request of an answer that is made while it is sent. */
type StreamedRequest = Pick<RequestFacts, "id" | "ticket">;

/** A JSON answer with one long list, which is made and sent page by page. */
export interface PagedAnswer {
  readonly status: number;
  /** The items of the member `data`, in pages. */
  readonly pages: AsyncIterable<readonly object[]>;
  /** The members that follow `data`. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** An answer in texts. The first piece is sent with the status, each later one when the client takes it. */
export interface TextAnswer<S> {
  readonly status: S;
  readonly texts: TextPieces;
}

/** A text in pieces; a piece is a text or its bytes in UTF-8. */
export interface TextPieces extends AsyncIterable<string | Uint8Array> {
  /** Resolves when the source gives up on a reader that does not read. The answer is cut off then. */
  readonly gone?: Promise<void>;
}

/** An answer that replaces a body with one long list. The first page is sent with the status, each later one when the client takes it. */
export interface ListAnswer<S, Body> {
  readonly status: S;
  readonly pages: AsyncIterable<ItemsOf<Body>>;
}

type ItemsOf<Body> = Body extends { data: (infer Item extends object)[] } ? readonly Item[] : never;

/** An answer of a handler, of any kind. */
export interface AnyAnswer {
  readonly status: number;
  readonly texts?: TextPieces;
  readonly pages?: PagedAnswer["pages"];
}

/** The texts of an answer that is made while it is sent. */
export const textsOfAnswer = ({ texts, pages }: AnyAnswer): TextPieces | undefined =>
  texts ?? (pages === undefined ? undefined : textsOf(pages, {}));

/**
 * Sends an answer page by page, at the client's speed. The first page is made before the status is sent, so that its failure becomes an
 * error answer. The failure of a later page cuts the answer off.
 */
export const respondInPages = (
  { status, pages, members }: PagedAnswer,
  { request }: { request: StreamedRequest },
): Promise<Response> =>
  respondInTexts(textsOf(pages, members), { status, contentType: "application/json", request });

/**
 * Sends an answer text by text, at the client's speed. The first text is made before the status is sent, so that its failure becomes an
 * error answer. The failure of a later text cuts the answer off.
 */
export async function respondInTexts(
  source: TextPieces,
  {
    status,
    contentType,
    request,
  }: { status: number; contentType: string; request: StreamedRequest },
): Promise<Response> {
  const texts = source[Symbol.asyncIterator]();
  let next: IteratorResult<string | Uint8Array> | undefined = await texts.next();
  // The ticket is released when the client has taken the last text or has gone away.
  const { ticket } = request;
  request.ticket = undefined;
  const encoder = new TextEncoder();
  /** Whether the reader has left, so that nothing may be sent to it any more. */
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const cutOff = (): void => {
          isLeft = true;
          ticket?.release();
          controller.error(new Error("the reader does not read"));
        };
        void source.gone?.then(cutOff);
      },
      async pull(controller) {
        try {
          const item = next ?? (await texts.next());
          next = undefined;
          if (isLeft) return;
          if (item.done !== true) {
            ticket?.keep?.();
            const { value } = item;
            controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
            return;
          }
          ticket?.release();
          controller.close();
        } catch (error) {
          ticket?.release();
          if (isLeft) return;
          logError("an answer was cut off", error, { requestId: request.id });
          controller.error(error);
        }
      },
      async cancel() {
        isLeft = true;
        ticket?.release();
        await texts.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers: { "content-type": contentType } });
}

/** The pieces of the answer. The first piece contains the first page. */
async function* textsOf(
  pages: PagedAnswer["pages"],
  members: PagedAnswer["members"],
): AsyncGenerator<string, undefined> {
  let before = '{"data":[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + stringifyJson(page).slice(1, -1);
    before = ",";
  }
  const end = stringifyJson(members).slice(1);
  yield `${before === "," ? "" : before}]${end === "}" ? "" : ","}${end}`;
}
