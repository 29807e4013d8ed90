/** A reason not to start that a person can act on: shown as it stands, without a stack. */
export class CannotStart extends Error {
  override readonly name: string = 'CannotStart';
}
