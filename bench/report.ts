import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

/** A section of RESULTS.md. */
export interface Section {
  readonly title: string;
  /** Comparisons with goals, listed at the top of the document. */
  readonly verdicts: readonly Verdict[];
  /** The text: how it was measured, and the tables. */
  readonly text: string;
}

export interface Verdict {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
  readonly holds: boolean;
}

const FILE = join(import.meta.dirname, 'RESULTS.md');

/** A Markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** A Markdown table of rows that name their columns. */
export const columns = (rows: readonly Readonly<Record<string, string | number>>[]): string =>
  table(
    Object.keys(rows[0] ?? {}),
    rows.map((row) => Object.values(row)),
  );

/** A number with a sensible count of decimals. */
export const figure = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
};

const RELATIONS = {
  '<': (value: number, goal: number) => value < goal,
  '≤': (value: number, goal: number) => value <= goal,
  '≥': (value: number, goal: number) => value >= goal,
};

/** Compares a measurement with its goal. */
export const verdict = (
  what: string,
  value: number,
  relation: keyof typeof RELATIONS,
  goal: number,
  unit = '',
): Verdict => ({
  what,
  measured: `${figure(value)}${unit}`,
  goal: `${relation} ${goal}${unit}`,
  holds: RELATIONS[relation](value, goal),
});

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** If a section starts with more load per core than this, its times are marked as less reliable. */
const QUIET_LOAD = 0.5;

/** Where and when a section was measured. */
export const circumstances = (name: string, loadBefore: number): string => {
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  const busy = loadBefore / cpus().length > QUIET_LOAD;
  const quiet = busy ? ' **The machine was busy with other work.**' : '';
  return `Measured ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}, ${machine}, load average before ${loadBefore.toFixed(2)}, commit ${commit()}. Repeat: \`npm run bench -- ${name}\`.${quiet}`;
};

export const loadNow = (): number => loadavg()[0] ?? 0;

const git = (...args: readonly string[]): string =>
  execFileSync('git', [...args], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

const commit = (): string => {
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
  } catch {
    return 'unknown';
  }
};

const VERDICT_HEAD = ['What', 'Measured', 'Goal', 'Holds'];
const verdictRow = ({ what, measured, goal, holds }: Verdict) => [what, measured, goal, holds ? 'yes' : '**no**'];
const part = (name: string, kind: 'verdicts' | 'text', inner: string) =>
  `<!-- ${name} ${kind} -->\n${inner}\n<!-- /${name} ${kind} -->`;
const kept = (document: string, name: string, kind: string): string | undefined =>
  new RegExp(`<!-- ${name} ${kind} -->\\n([\\s\\S]*?)\\n<!-- /${name} ${kind} -->`).exec(document)?.[1];

const INTRODUCTION = `# What is measured

Every figure here comes from a run of \`npm run bench\`, which writes this file; a run of some sections replaces only those. Absolute times depend on the machine; ratios are more portable, so goals are ratios where possible.`;

/** Replaces the sections that were run in RESULTS.md and keeps the others. */
export const writeResults = (order: readonly string[], run: ReadonlyMap<string, Section>): string => {
  let before = '';
  try {
    before = readFileSync(FILE, 'utf8');
  } catch {
    // The first run.
  }
  const partsOf = (kind: 'verdicts' | 'text', write: (section: Section) => string): string[] =>
    order.flatMap((name) => {
      const section = run.get(name);
      const inner = section ? write(section) : kept(before, name, kind);
      return inner ? [part(name, kind, inner)] : [];
    });
  const goals = partsOf('verdicts', ({ title, verdicts }) =>
    verdicts.length > 0 ? `### ${title}\n\n${table(VERDICT_HEAD, verdicts.map(verdictRow))}` : '',
  );
  const texts = partsOf('text', ({ title, text }) => `## ${title}\n\n${text}`);
  writeFileSync(FILE, `${[INTRODUCTION, '## Goals', ...goals, ...texts].join('\n\n')}\n`);
  return FILE;
};
