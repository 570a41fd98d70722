import { z } from "zod";

const Created = z.object({ data: z.object({ id: z.string() }) });

/** The id in the answer to a creation. */
export const idOf = (answer: unknown): string => Created.parse(answer).data.id;
