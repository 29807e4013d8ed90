import { describe, expect, it } from 'vitest';
import { filesIn, readSource, sourceFiles } from './tools.ts';

const MAX_LINES = 350;
/** Paths of somebody's machine; paths that every machine has (/bin, /usr/bin, /dev) are allowed. */
const MACHINE_PATH = /(?:^|[\s'"`(=])(?:\/(?:home|Users|root|mnt|srv|tmp|work(?:spaces?)?)\/[\w.-]+|[A-Z]:\\\\?\w+)/;

describe('files', () => {
  it(`have at most ${MAX_LINES} lines`, () => {
    const long = sourceFiles().map((file) => `${file}: ${readSource(file).split('\n').length - 1}`);
    expect(long.filter((line) => Number(line.split(': ')[1]) > MAX_LINES)).toEqual([]);
  });

  // One process runs many test files and imports what they share once: its hooks would be those of the first file.
  it('that tests share start nothing when they are imported', () => {
    const begins = /^(?:export )?const .*= await use|^(?:before|after)(?:Each|All)\(/m;
    const shared = sourceFiles().filter((file) => file.startsWith('test/') && !file.endsWith('.test.ts'));
    expect(shared.filter((file) => begins.test(readSource(file)))).toEqual([]);
  });

  it('contain no path of a machine', () => {
    const texts = [
      ...sourceFiles(),
      ...filesIn('docs'),
      ...filesIn('events'),
      'package.json',
      'README.md',
      'openapi.json',
    ];
    const found = texts
      .filter((file) => file !== 'test/quality/files.test.ts')
      .filter((file) => MACHINE_PATH.test(readIfThere(file)));
    expect(found).toEqual([]);
  });

  it('that replace a module, or all timers, run in a separate process: in a shared one, they would affect other files', () => {
    const replaces = /\bvi\.(?:(?:do)?[mM]ock\(|resetModules\(|useFakeTimers\((?![^)]*toFake))/;
    const replacing = sourceFiles().filter((file) => replaces.test(readSource(file)));
    const isolated = replacing.map((file) => `'${file}'`).join(', ');
    expect(readSource('vitest.config.ts')).toContain(`const ISOLATED = [${isolated}];`);
  });

  it('that call functions import a copy of them, or have a process: else they would have the environment of another test', () => {
    const importing = sourceFiles().filter((file) => /\bimport\('(?:\.\.\/)+functions\//.test(readSource(file)));
    // One of FLOWS_ALONE.
    expect(importing).toEqual(['test/flows/keys.test.ts']);
  });
});

const readIfThere = (file: string): string => {
  try {
    return readSource(file);
  } catch {
    return '';
  }
};
