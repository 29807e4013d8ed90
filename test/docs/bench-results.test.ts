import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { beforeAfter } from '../../bench/before-after.ts';
import { recordIn, recordLine, type SectionRecord, staleBecause } from '../../bench/record.ts';
import { results, type Section, verdict } from '../../bench/report.ts';
import { cellsOf } from '../../bench/table.ts';

const RECORD: SectionRecord = {
  section: 'a',
  at: '2026-11-23 18:16',
  commit: '1db0c3b',
  clean: true,
  rounds: 3,
  busy: false,
};
const LINE =
  'Measured 2026-11-23 18:16 UTC, Node v24, commit 1db0c3b as committed, 3 rounds. Repeat: `npm run bench -- a`.';
const section = (title: string): Section => ({
  title,
  verdicts: [verdict(`p95 of ${title}`, 1, '≤', 2)],
  text: `${LINE}\n\nFigures of ${title}.`,
});
const RUN = new Map([
  ['a', section('A')],
  ['b', section('B')],
]);
const current = () => [];
const { document } = results('', ['a', 'b'], RUN, current);

describe('a section of the bench results', () => {
  test('is current only if nothing of the service changed since its commit', () => {
    expect(staleBecause(RECORD, () => 0)).toEqual([]);
    expect(staleBecause(RECORD, () => 2)).toEqual(['2 files of the service changed since commit 1db0c3b']);
  });

  test('is stale if its commit is not in the repository, or if the service had uncommitted changes', () => {
    expect(staleBecause(RECORD, (_, section) => (section === 'a' ? 0 : 1))).toEqual([]);
    expect(staleBecause(RECORD, () => undefined)).toEqual(['commit 1db0c3b is not in this repository']);
    expect(staleBecause({ ...RECORD, clean: false }, () => 0)).toEqual(['the service had uncommitted changes']);
  });

  test('is stale with fewer than three rounds, or without saying its rounds', () => {
    expect(staleBecause({ ...RECORD, rounds: 2 }, () => 0)).toEqual(['2 of at least 3 rounds']);
    expect(staleBecause({ ...RECORD, rounds: undefined }, () => 0)).toEqual(['it does not say its rounds']);
    expect(staleBecause(undefined, () => 0)).toEqual(['it does not say what was measured']);
  });

  test('says what it was measured of in a line that is read again', () => {
    expect(recordIn(`${recordLine('send', 5, 0)}\n\ntext`)).toMatchObject({ rounds: 5, busy: false });
    expect(recordIn(recordLine('send', 5, 0.5))?.busy).toBe(true);
    expect(recordIn(LINE)).toEqual(RECORD);
    expect(recordIn(LINE.replace('as committed', 'with changes'))?.clean).toBe(false);
    expect(recordIn('no record')).toBeUndefined();
  });
});

describe('the bench results', () => {
  test('mark a stale section at its goals and its figures, once', () => {
    const stale = (text: string) => (text.includes('Figures of A.') ? ['2 files changed'] : []);
    const marked = results(document, ['a', 'b'], new Map(), stale);
    expect([...marked.stale]).toEqual([['a', ['2 files changed']]]);
    expect(marked.document).toContain('### A\n\n> **Stale**: 2 files changed.\n\n| What |');
    expect(marked.document).toContain(`## A\n\n> **Stale**: 2 files changed.\n\n${LINE}`);
    expect(results(marked.document, ['a', 'b'], new Map(), stale).document).toBe(marked.document);
    expect(results(marked.document, ['a', 'b'], new Map(), current).document).toBe(document);
  });

  test('keep the sections that were not run, and drop those that no longer exist', () => {
    const again = results(
      document,
      ['a', 'b'],
      new Map([['b', { ...section('B'), text: `${LINE}\n\nNewer.` }]]),
      current,
    );
    expect(again.document).toContain('Figures of A.');
    expect(again.document).toContain('Newer.');
    expect(again.document).not.toContain('Figures of B.');
    expect(results(document, ['b'], new Map(), current).document).not.toContain('Figures of A.');
  });

  test('say first what they do not show', () => {
    expect(document.split('\n')[2]).toMatch(/does not show: AWS/);
  });

  test('compare what a busy tenant ran into with the goals that stand in them, and say which are stale', () => {
    const goal = ['rows handed over a second by one dispatcher', '14,345', '≥ 1667', 'yes'];
    const rows = cellsOf(
      beforeAfter(
        (section) => (section === 'dispatch' ? [goal] : []),
        (section) => section === 'send',
      ),
    );
    const of = (what: string) => rows.find(([name]) => name?.startsWith(what));
    expect(of('Due rows')).toEqual([expect.anything(), '33', '14,345', '≥ 1667', 'dispatch']);
    expect(of('Processor time')?.slice(2)).toEqual(['not measured', '', 'send, stale']);
    expect(document).toContain('\n\n## Before and after\n\n');
  });

  test('have a goal for each thing that a busy tenant ran into', () => {
    const file = readFileSync(new URL('../../bench/RESULTS.md', import.meta.url), 'utf8');
    const compared = file.slice(file.indexOf('## Before and after'), file.indexOf('## Goals'));
    const now = cellsOf(compared).map(([, , measured]) => measured);
    expect(now.length).toBeGreaterThan(5);
    expect(now).not.toContain('not measured');
  });
});
