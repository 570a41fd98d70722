import { MODULES } from "./modules.ts";
import { Outbox, OUTBOX_SWEEP } from "#platform/events/outbox.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { SECRET_KEYS_SWEEP, sweepSecretKeys } from "#platform/status/secret-keys.ts";
import { sweepReserve } from "#platform/storage/reserve-sweep.ts";
import { sweepSizes } from "#platform/storage/watch.ts";

/** All sweeps of the deployment, in the order in which their clocks start each other. */
export const SWEEPS: readonly Sweep[] = [
  { name: SECRET_KEYS_SWEEP, run: sweepSecretKeys },
  { name: "storage-reserve", run: sweepReserve },
  { name: "storage-sizes", run: sweepSizes },
  { name: OUTBOX_SWEEP, run: (context) => Outbox.from(context).sweep() },
  ...MODULES.flatMap(({ sweeps = [] }) => sweeps),
];
