import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOf, sectionOf } from './check.ts';
import { type Contract, compareContracts } from './compare-documents.ts';
import { RELEASED_FILE, readReleased, releasedText } from './released.ts';

const SDK = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(SDK, file), 'utf8');

const now = (): Contract => JSON.parse(read('../../openapi.json')) as Contract;
const version = (): string => (JSON.parse(read('package.json')) as { version: string }).version;

/** What stands against publishing the contract as it is now. */
export const checkContract = (): readonly string[] => {
  const released = readReleased();
  const release = { released: released.version, next: version(), changelog: read('CHANGELOG.md') };
  return faultsOf(compareContracts(released, now()), release);
};

/** Makes the contract as it is now the one that later versions are compared with. */
const release = (): void => {
  if (sectionOf(read('CHANGELOG.md'), version()) === '') throw new Error(`CHANGELOG.md has no section ${version()}.`);
  writeFileSync(RELEASED_FILE, releasedText(version(), now()));
};

if (import.meta.main) {
  // A version that nobody has installed yet may be replaced, whatever changed.
  const isReplaced = process.argv.includes('--replace');
  const faults = isReplaced ? [] : checkContract();
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exitCode = 1;
  } else if (isReplaced || process.argv.includes('--release')) release();
}
