import { z } from "@hono/zod-openapi";
import { Threshold, TimingDays } from "./matching-schemas.ts";
import { MatchingParams } from "./matchings.ts";
import { PassesRequest, toPass } from "./pass-schemas.ts";
import { BREAK_CLASSES } from "#modules/reconciliation/core/breaks/classify.ts";
import { dateOf } from "#modules/reconciliation/core/matching/days.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import {
  type MatchingPreview,
  type PreviewedChange,
  previewPasses,
} from "#modules/reconciliation/matchings/preview.ts";
import { Count, ok, operations, registration } from "#platform/http/index.ts";

const matchings = operations({
  path: "/reconciliation/matchings/{matchingID}",
  tags: ["Matchings"],
  scope: "reconciliation",
  params: MatchingParams,
});

const PreviewRequest = z
  .strictObject({
    passes: PassesRequest.nullable().optional().openapi({
      description: "Absent for those of the matching, null for the default ones.",
    }),
    threshold: Threshold.optional(),
    timingDays: TimingDays.optional(),
  })
  .openapi("MatchingPreviewRequest");

const Groups = z.object({
  count: Count,
  groups: z
    .array(
      z.object({
        pass: z.string(),
        confidence: z.int(),
        left: z.array(Count),
        right: z.array(Count),
      }),
    )
    .openapi({ description: "The first 50, by the ids of their lines." }),
});

const Change = z.object({
  count: Count.openapi({ description: "How many there would be." }),
  added: Groups.openapi({ description: "Those that are not there now." }),
  vanished: Groups.openapi({ description: "Those that are there now and would not be found." }),
});

const PreviewResponse = z
  .object({
    lookedAt: z.object({
      lines: Count,
      from: z.string().optional().openapi({ format: "date" }),
      to: z.string().optional().openapi({ format: "date" }),
      isAll: z.boolean().openapi({
        description: "Whether these are all lines that nobody has decided about.",
      }),
    }),
    matches: Change,
    proposals: Change,
    open: Count.openapi({ description: "Lines without a match, those of proposals among them." }),
    breaks: z.partialRecord(z.enum(BREAK_CLASSES), Count),
  })
  .openapi("MatchingPreview");

const toChangeView = ({ count, added, vanished }: PreviewedChange): z.output<typeof Change> => {
  const view = ({ count: number, groups }: PreviewedChange["added"]) => ({
    count: number,
    groups: groups.map(({ pass, confidence, left, right }) => ({
      pass,
      confidence,
      left: [...left],
      right: [...right],
    })),
  });
  return { count, added: view(added), vanished: view(vanished) };
};

const toPreviewView = (preview: MatchingPreview): z.output<typeof PreviewResponse> => {
  const { lines, firstDay, lastDay, isAll } = preview.lookedAt;
  return {
    lookedAt: {
      lines,
      ...(firstDay === undefined ? {} : { from: dateOf(firstDay) }),
      ...(lastDay === undefined ? {} : { to: dateOf(lastDay) }),
      isAll,
    },
    matches: toChangeView(preview.matches),
    proposals: toChangeView(preview.proposals),
    open: preview.open,
    breaks: Object.fromEntries(preview.breaks),
  };
};

export const registerMatchingPreview = registration(
  matchings.post("/preview", {
    operationId: "florinPreviewMatching",
    summary: "Show what other passes would find",
    description:
      "Looks at the newest 20,000 lines that are open, or that a run has matched or proposed and nobody has decided about, as if none of them were matched. Nothing is changed.",
    scope: "reconciliation:read",
    work: "expression",
    body: PreviewRequest,
    answer: ok.data("What would be found", PreviewResponse, toPreviewView),
    errors: [404],
    handle: async ({ params, body, context, c }) =>
      previewPasses(await actingOf(c, context), params.matchingID, {
        passes: body.passes === null ? null : body.passes?.map(toPass),
        threshold: body.threshold,
        timingDays: body.timingDays,
      }),
  }),
);
