import { createHash } from 'node:crypto';

/** Of files that a table in memory serves as well, one in so many, chosen by its name, runs on the engine. */
const ENGINE_AMONG = 8;
/** Whether a test's file, by its path from the project's root with `/`, is one of those. */
export const isSampled = (file: string): boolean =>
  createHash('sha256').update(file).digest().readUInt16BE() % ENGINE_AMONG === 0;
