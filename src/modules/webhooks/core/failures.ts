import { AppError } from "#platform/errors.ts";

export const unknownConfig = (): AppError => new AppError("NOT_FOUND", "config not found");

export const unknownDelivery = (): AppError => new AppError("NOT_FOUND", "delivery not found");

export const notReplayable = (): AppError =>
  new AppError("CONFLICT", "delivery cannot be replayed");
