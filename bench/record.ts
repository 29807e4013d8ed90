import { cpus, totalmem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { changedFiles } from './changed-code.ts';
import { git } from './git.ts';
import { withBusyShare } from './processor-share.ts';

/** The least rounds of which a median says something. */
const LEAST_ROUNDS = 3;
/** Rounds of each section; fewer prove a program, not a figure. */
export const ROUNDS = Number(process.env.ROUNDS ?? LEAST_ROUNDS);
/** If other work takes a greater share of the processors before a section, its times are marked as less reliable. */
const QUIET_SHARE = 0.1;
/** How long the share is measured, in ms. The load average would count the section before for minutes. */
const SHARE_MS = 5_000;
/** What a measured figure does not depend on; everything else is the service, its build or its libraries. */
const TOOLS = ['biome.json', 'knip.jsonc', 'redocly.yaml', 'vitest.config.ts'];
const UNMEASURED = ['bench', 'docs', 'test', 'events', '.ci', '*.md', ...TOOLS];
/** What only the section of this name measures: the service serves the console's files, and never imports them or the SDK. */
const CONSOLE = 'console';
const OF_THE_CONSOLE = ['console', 'sdk'];
const measuredFiles = (section: string): readonly string[] => {
  const unmeasured = section === CONSOLE ? UNMEASURED : [...UNMEASURED, ...OF_THE_CONSOLE];
  return ['.', ...unmeasured.map((path) => `:(exclude)${path}`)];
};

/** The share of the processors that other work takes now, from 0 to 1; takes five seconds. */
export const busyNow = async (): Promise<number> => (await withBusyShare(() => pause(SHARE_MS, {}))).busy;

/** The commit that is checked out, and whether files that a section measures differ from it. Throws outside of a repository. */
const checkedOut = (section: string): { readonly commit: string; readonly clean: boolean } => ({
  commit: git(['rev-parse', '--short', 'HEAD']),
  clean: git(['status', '--porcelain', '--', ...measuredFiles(section)]) === '',
});

/** How many files that a section measures differ in code between a commit and what is checked out; undefined for a commit that is not in this repository. */
export const changedSince = (commit: string, section: string): number | undefined => {
  try {
    return changedFiles(commit, measuredFiles(section)).length;
  } catch {
    return undefined;
  }
};

/** Where, when and of what a section was measured, in one line that `recordIn` reads again. */
export const recordLine = (name: string, rounds: number, busyBefore: number): string => {
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  const { commit, clean } = checkedOut(name);
  const at = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const busy = busyBefore > QUIET_SHARE ? ' **The machine was busy with other work.**' : '';
  return `Measured ${at} UTC, Node ${process.version}, ${machine}, ${(100 * busyBefore).toFixed(0)} % busy before, commit ${commit} ${clean ? 'as committed' : 'with changes'}, ${rounds} rounds. Repeat: \`npm run bench -- ${name}\`.${busy}`;
};

/** What a section's record line says of it. */
export interface SectionRecord {
  readonly section: string;
  readonly at: string;
  readonly commit: string;
  readonly clean: boolean;
  /** Undefined in sections that did not say it yet. */
  readonly rounds: number | undefined;
  readonly busy: boolean;
}

/** Reads a section's record line; undefined if it has none. */
export const recordIn = (text: string): SectionRecord | undefined => {
  const line = /^Measured (\S+ \S+) UTC, .*, commit ([0-9a-f]{7,40})\b.*$/m.exec(text);
  if (!line) return undefined;
  const [whole, at = '', commit = ''] = line;
  const rounds = / (\d+) rounds\. Repeat/.exec(whole)?.[1];
  return {
    section: /Repeat: `npm run bench -- (\S+)`/.exec(whole)?.[1] ?? '',
    at,
    commit,
    clean: !whole.includes(' with changes'),
    rounds: rounds === undefined ? undefined : Number(rounds),
    busy: whole.includes('was busy'),
  };
};

/** Why a section's figures are not those of the service that is checked out; empty if they are. */
export const staleBecause = (
  record: SectionRecord | undefined,
  changed: (commit: string, section: string) => number | undefined = changedSince,
): string[] => {
  if (!record) return ['it does not say what was measured'];
  const { commit, clean, rounds, section } = record;
  const files = changed(commit, section);
  return [
    ...(files === undefined ? [`commit ${commit} is not in this repository`] : []),
    ...(files ? [`${files} files of the service changed since commit ${commit}`] : []),
    ...(clean ? [] : ['the service had uncommitted changes']),
    ...(rounds === undefined ? ['it does not say its rounds'] : []),
    ...(rounds !== undefined && rounds < LEAST_ROUNDS ? [`${rounds} of at least ${LEAST_ROUNDS} rounds`] : []),
  ];
};
