/** A problem of a workflow's configuration, with the path to the value that has it. */
export class WorkflowConfigError extends Error {
  override readonly name = "WorkflowConfigError";
  readonly path: readonly (string | number)[];

  constructor(message: string, path: readonly (string | number)[]) {
    super(message);
    this.path = path;
  }
}
