/** A failure to start that the user can fix: shown as its message, without a stack. */
export class CannotStart extends Error {
  override readonly name: string = 'CannotStart';
}
