/** `@types/node` and `@cloudflare/workers-types` both declare it, the latter as `any`. The first declaration holds: this one. */
// oxlint-disable-next-line no-var -- only declarations with `var` may be repeated
declare var Buffer: BufferConstructor;
