/**
 * `@types/node` and `@cloudflare/workers-types` both declare `Buffer`, the latter as `any`. The first declaration counts, which is the one
 * in this file.
 */
// oxlint-disable-next-line no-var -- only declarations with `var` may be repeated
declare var Buffer: BufferConstructor;
