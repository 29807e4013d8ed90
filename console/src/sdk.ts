/** The SDK, from its sources: the console needs no build of it. */
export * from '../../sdk/typescript/src/index.ts';
