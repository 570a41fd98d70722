/**
 * Examples of the API: requests and their answers, in Markdown. A contract test sends the requests of all modules in their
 * order, and compares each answer with that of the example.
 *
 * An exchange is a heading, `## operationId` or `## operationId: title`, and two code blocks of the kind `http`. The first
 * block holds the method and the target, headers, an empty line and the body; the second block holds the same parts with a
 * status in place of method and target.
 */
export interface Exchange {
  readonly operationId: string;
  /** The case that the example shows; undefined for the only example of an operation. */
  readonly title: string | undefined;
  readonly request: Message;
  readonly answer: Message;
}

export interface Message {
  /** The method and the target of a request, or the status of an answer. */
  readonly start: string;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Parses the exchanges of a Markdown text. Throws for an incomplete exchange. */
export function parseExchanges(markdown: string): Exchange[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = ""] = section.split("\n", 1);
      const [operationId = "", title] = heading.trim().split(/: (.*)/s);
      const [request, answer] = [...section.matchAll(BLOCK)].map(([, text = ""]) => text);
      if (request === undefined) throw new Error(`the example ${heading} has no request`);
      const parsed = { request: parseMessage(request), answer: parseMessage(answer ?? "") };
      return { operationId, title, ...parsed };
    });
}

const BLOCK = /^```http\n(.*?)^```$/gms;

function parseMessage(text: string): Message {
  const [head = "", ...rest] = text.split("\n\n");
  const [start = "", ...lines] = head.trimEnd().split("\n");
  const headers = lines.map((line): [string, string] => {
    const [name = "", value = ""] = line.split(/: (.*)/s);
    return [name.toLowerCase(), value];
  });
  const body = rest.length === 0 ? undefined : rest.join("\n\n").trimEnd();
  return { start, headers: Object.fromEntries(headers), body };
}
