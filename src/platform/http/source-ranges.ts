import { z } from "@hono/zod-openapi";

const PositionResponse = z
  .object({ line: z.int().min(0), character: z.int().min(0) })
  .openapi("SourcePosition", {
    description: "As in the Language Server Protocol: from 0, characters in UTF-16 code units.",
  });

/** A range of a source text, in the form of the Language Server Protocol. */
export const RangeResponse = z
  .object({ start: PositionResponse, end: PositionResponse })
  .openapi("SourceRange", { description: "The end is exclusive." });
