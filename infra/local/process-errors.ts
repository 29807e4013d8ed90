/**
 * Keeps a process alive whose output has no reader any more, such as after its terminal closed. Without a listener each write to it would be
 * an uncaught error, and reporting that would be the next such write.
 */
export const tolerateClosedOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
};

/** An uncaught error ends one execution environment of a Lambda function; here it must not end the whole service. */
export const surviveUncaughtErrors = (): void => {
  for (const name of ['uncaughtException', 'unhandledRejection'])
    process.on(name, (error: unknown) => console.error('An error that no function caught:', error));
};
