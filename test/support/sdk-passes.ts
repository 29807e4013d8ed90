/** A client of the SDK, of any service. */
interface SdkClient {
  readonly middlewareStack: { add(middleware: never, options: { step: 'initialize'; name: string }): void };
}

/** Counts the calls of an SDK client that pass its middleware; a direct call passes none. */
export const passesOf = (client: SdkClient) => {
  let passed = 0;
  const count = (next: (args: never) => Promise<never>) => (args: never) => {
    passed += 1;
    return next(args);
  };
  client.middlewareStack.add(count as never, { step: 'initialize', name: 'count' });
  return () => passed;
};
