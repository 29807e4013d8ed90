import { expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { SENT_STATUSES } from '../../shared/domain/journeys/definition.ts';
import { MAX_VARIABLES_BYTES } from '../../shared/domain/journeys/limits.ts';
import type { HistoryEntry, Run, RunEvent, SentMessage } from '../../shared/domain/journeys/run.ts';
import type { StoredRun } from '../../shared/domain/journeys/run-ports.ts';
import { runView } from '../../shared/domain/journeys/run-view.ts';
import { runPage } from '../../shared/storage/journeys/run-page.ts';
import { runRow } from '../../shared/storage/journeys/run-rows.ts';
import { newOrganization } from '../lists/stage.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { ligacoes, passo } from '../support/journeys/build.ts';
import { activeJourney, journeysOver, Outside } from './stage.ts';

const { table } = await useContendedTable();
const START = Date.parse('2026-03-10T12:00:00Z');

/** A letter of three bytes. */
const WIDE = '界';
const KEYS_OF_STEPS = Array.from({ length: 150 }, (_, at) => `${'p'.repeat(61)}${String(at).padStart(3, '0')}`);
const byStep = <T>(value: T) => Object.fromEntries(KEYS_OF_STEPS.map((key) => [key, value]));
/** A customer event of as many bytes as one may have: each character of its texts is escaped. */
const event = (id: string): RunEvent => ({
  id: `${id}${newId('customerEvent')}`,
  name: WIDE.repeat(128),
  properties: Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`${'k'.repeat(62)}${at}`, '\u0001'.repeat(256)]),
  ),
  value: Math.PI,
  currency: 'BRL',
});
const sent: SentMessage = {
  messageId: newId('message'),
  reached: Object.fromEntries(SENT_STATUSES.map((status) => [status, START])),
};
const entry: HistoryEntry = {
  step: KEYS_OF_STEPS[0] ?? '',
  kind: 'divisao',
  at: START,
  result: 'ramo',
  detail: WIDE.repeat(64),
};
/** A run that holds as much as one can, in a journey of an organization. */
const largest = (of: Pick<Run, 'organizationId' | 'env' | 'journeyId' | 'rootId'>, beganAt: number): StoredRun => {
  const { messageId } = sent;
  const step = entry.step;
  const run: Run = {
    ...of,
    id: newId('run'),
    contactId: newId('contact'),
    status: 'ativa',
    step,
    visits: byStep(1_000_000),
    wait: { kind: 'event', until: START, awaits: { event: WIDE.repeat(128) } },
    beganAt,
    variables: { x: 'v'.repeat(MAX_VARIABLES_BYTES - 8) },
    event: event('let in'),
    branches: byStep(WIDE.repeat(64)),
    sent: byStep(sent),
    early: Array.from({ length: 24 }, () => ({ step, messageId, status: 'respondida' as const, at: START })),
    kept: [
      { event: event('awaited'), at: START },
      { event: event('goal'), at: START },
    ],
    taken: Array.from({ length: 20 }, () => newId('customerEvent')),
    sinceWait: 150,
    historyCount: 1_000_000,
    version: 1,
  };
  return { run, history: Array.from({ length: 80 }, () => entry), isParked: false, dueAt: START };
};

test('the largest run fits its row, with its variables, the events that it keeps, and what it sent', () => {
  const of = {
    organizationId: newId('organization'),
    env: 'test',
    journeyId: newId('journey'),
    rootId: newId('journey'),
  } as const;
  const bytes = Buffer.byteLength(JSON.stringify(runRow(largest(of, START))));
  expect(bytes).toBeGreaterThan(150_000);
  expect(bytes).toBeLessThan(380_000);
});

test('a page of large runs ends before 5,000,000 bytes, and the next ones contain the others, each once', async () => {
  const tenant = await newOrganization(table);
  const graph = { passos: [passo('sair', {})], ligacoes: ligacoes() };
  const journey = await activeJourney(
    journeysOver(table, () => START, new Outside()),
    tenant,
    graph,
  );
  const of = { ...tenant, journeyId: journey.id, rootId: journey.rootId };
  const runs = Array.from({ length: 60 }, (_, at) => largest(of, START + at));
  for (const run of runs) await table.putMany([runRow(run)]);
  const scope = { ...tenant, query: {} };
  const vault = createVault(Buffer.alloc(32, 7));
  const found: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | undefined, at = 0; at < 20; at++) {
    const page = await runPage(table)(journey, {}, { limit: 200, cursor, vault, scope });
    if (isRefusal(page)) throw new Error(page.name);
    const items = page.items.map(({ run }) => runView(run, 0));
    found.push(...items.map(({ id }) => id));
    sizes.push(Buffer.byteLength(JSON.stringify(items)));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  expect(sizes.length).toBeGreaterThan(1);
  expect(Math.max(...sizes)).toBeLessThan(5_000_000);
  expect(found).toEqual(runs.map(({ run }) => run.id).toReversed());
});
