import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAfter } from './before-after.ts';
import { recordIn, staleBecause } from './record.ts';
import { cellsOf, table } from './table.ts';

/** A section of RESULTS.md. */
export interface Section {
  readonly title: string;
  /** How often each figure was taken anew; undefined: as often as `ROUNDS` says. */
  readonly rounds?: number;
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

type Kind = 'verdicts' | 'text';
const VERDICT_HEAD = ['What', 'Measured', 'Goal', 'Holds'];
const verdictRow = ({ what, measured, goal, holds }: Verdict) => [what, measured, goal, holds ? 'yes' : '**no**'];
const part = (name: string, kind: Kind, inner: string) =>
  `<!-- ${name} ${kind} -->\n${inner}\n<!-- /${name} ${kind} -->`;
const goalsOf = ({ title, verdicts }: Section): string =>
  verdicts.length > 0 ? `### ${title}\n\n${table(VERDICT_HEAD, verdicts.map(verdictRow))}` : '';
const kept = (document: string, name: string, kind: Kind): string | undefined =>
  new RegExp(`<!-- ${name} ${kind} -->\\n([\\s\\S]*?)\\n<!-- /${name} ${kind} -->`).exec(document)?.[1];

const INTRODUCTION = `# What is measured

**What this does not show: AWS.** No figure here comes from an AWS account. Not in them: the time of CloudFront, API Gateway and Lambda (a cold start's
sandbox, its CPU share), the network between them, DynamoDB's and SQS's own times, what real providers take, and quotas of an account. The
table is an embedded engine that never refuses; where a section says that it ran behind the laws, its limits are a model of DynamoDB's documentation
(docs/table-laws.md). Service, engine, providers' stand-ins and load share the cores of one machine, so absolute times are this machine's; ratios are more
portable, and goals are ratios where possible.

\`npm run bench\` writes this file, and nobody else; \`npm run bench -- send laws\` replaces those sections only. \`npm run bench -- check\` measures nothing: it
marks what is stale. A section is stale if code of the service changed since its commit, comments, types and the names of its modules and variables aside, if it was measured with uncommitted
changes, or in fewer than 3 rounds.`;

/** A section's mark, below its heading. */
const STALE = /^> \*\*Stale\*\*: .*\n\n/m;
const marked = (inner: string, reasons: readonly string[]): string => {
  const plain = inner.replace(STALE, '');
  return reasons.length === 0
    ? plain
    : plain.replace(/^(#+ .*\n\n)/, (_, heading) => `${heading}> **Stale**: ${reasons.join('; ')}.\n\n`);
};

const stateRow = (name: string, text: string, reasons: readonly string[]) => {
  const { at = '', commit = '', rounds = '', busy = false } = recordIn(text) ?? {};
  return [name, at, commit, rounds, busy ? 'busy' : 'quiet', reasons.length === 0 ? 'current' : '**stale**'];
};

export interface Marked {
  readonly document: string;
  /** The sections that are stale, with their reasons. */
  readonly stale: ReadonlyMap<string, readonly string[]>;
}

/** What stands in the document of each section, in its order: of those that were run, what they say now. */
const partsOf = (
  before: string,
  order: readonly string[],
  run: ReadonlyMap<string, Section>,
  kind: Kind,
  of: (section: Section) => string,
): ReadonlyMap<string, string> =>
  new Map(
    order.flatMap((name) => {
      const section = run.get(name);
      const text = section ? of(section) : kept(before, name, kind);
      return text ? [[name, text] as const] : [];
    }),
  );

/** The document with sections that were run replaced, all others kept, and each marked if it is stale. */
export const results = (
  before: string,
  order: readonly string[],
  run: ReadonlyMap<string, Section>,
  reasonsOf: (text: string) => readonly string[] = (text) => staleBecause(recordIn(text)),
): Marked => {
  const texts = partsOf(before, order, run, 'text', ({ title, text }) => `## ${title}\n\n${text}`);
  const goals = partsOf(before, [...texts.keys()], run, 'verdicts', goalsOf);
  const reasons = new Map([...texts].map(([name, text]) => [name, reasonsOf(text)]));
  const isStale = (name: string) => (reasons.get(name) ?? []).length > 0;
  const written = (of: ReadonlyMap<string, string>, kind: Kind) =>
    [...of].map(([name, inner]) => part(name, kind, marked(inner, reasons.get(name) ?? [])));
  const states = table(
    ['Section', 'Measured (UTC)', 'Commit', 'Rounds', 'Machine', 'State'],
    [...texts].map(([name, text]) => stateRow(name, text, reasons.get(name) ?? [])),
  );
  const parts = [
    INTRODUCTION,
    `## Sections\n\n${states}`,
    beforeAfter((name) => cellsOf(goals.get(name) ?? ''), isStale),
    '## Goals',
    ...written(goals, 'verdicts'),
    ...written(texts, 'text'),
  ];
  return { document: `${parts.join('\n\n')}\n`, stale: new Map([...reasons].filter(([name]) => isStale(name))) };
};

/** Writes RESULTS.md: replaces the sections that were run, and marks all that are stale. */
export const writeResults = (order: readonly string[], run: ReadonlyMap<string, Section>): Marked['stale'] => {
  const { document, stale } = results(readFileSync(FILE, 'utf8'), order, run);
  writeFileSync(FILE, document);
  return stale;
};
