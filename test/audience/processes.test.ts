import { expect, test } from 'vitest';
import type { FilterTree } from '../../shared/domain/audience/filters.ts';
import { derivedId } from '../../shared/domain/core/ids.ts';
import { readMembership } from '../../shared/storage/audience/memberships.ts';
import { BASELINE_DELAY_MS } from '../../shared/storage/segments/sweeps.ts';
import { runProcesses } from '../support/run-processes.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import type { MemberWork } from './member-process.ts';
import { NOW, startMembers } from './members-base.ts';

const PROCESSES = 20;
const CONTACTS_EACH = 1;
const PROCESS = new URL('./member-process.ts', import.meta.url);
const isVip: FilterTree = { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } };
const plain = {
  tags: [],
  attributes: {},
  source: 'api',
  lastInteractionAt: undefined,
  optIn: { status: 'granted' },
} as const;

const world = await use(startWorld('test', { inMemory: false }));

const startBase = async () => {
  world.now = NOW;
  const base = await startMembers(world);
  for (let at = 0; at < PROCESSES * CONTACTS_EACH; at++) await base.create(plain);
  const segment = await base.addSegment(isVip);
  world.now += BASELINE_DELAY_MS;
  await base.quiet();
  const contacts = [...base.contacts.values()];
  const workOf = (changes: MemberWork['changes']): MemberWork[] =>
    Array.from({ length: PROCESSES }, (_, at) => ({
      endpoint: world.proxy.endpoint,
      tableName: world.table.name,
      now: world.now,
      contacts: contacts.slice(at * CONTACTS_EACH, (at + 1) * CONTACTS_EACH),
      changes,
    }));
  /** The reported moves of each contact, in their order: by the rows with their times, and by the events. */
  const movesOf = async () => {
    const rows = await world.table.queryAll({ partition: `AUD#${base.organizationId}#0` });
    const version = Number(rows.find(({ sk }) => sk === 'MEMBERS')?.version);
    const ids = contacts.flatMap(({ id }) =>
      Array.from({ length: version + 1 }, (_, at) => derivedId('event', [segment.id, id, String(at)])),
    );
    const events = await world.events(ids);
    return Map.groupBy(
      events.map(({ type, data }) => ({ kind: type.slice(8), contactId: String(data.contactId) })),
      ({ contactId }) => contactId,
    );
  };
  return { base, segment, contacts, workOf, movesOf };
};

test('twenty processes that change contacts and evaluate their block concurrently report each transition once, and lose none', {
  timeout: 300_000,
}, async () => {
  const { base, segment, contacts, workOf, movesOf } = await startBase();
  await runProcesses(PROCESS, workOf([['vip'], [], ['vip']]));
  await base.quiet();
  const moves = await movesOf();
  for (const { id } of contacts) {
    // Contacts that entered and left between two evaluations raised nothing; the reported moves begin with an entry, alternate and end with
    // an entry.
    const kinds = (moves.get(id) ?? []).map(({ kind }) => kind);
    expect(kinds).toEqual(kinds.map((_, at) => (at % 2 === 0 ? 'entered' : 'left')));
    expect(kinds.length % 2).toBe(1);
    expect(await readMembership(world.table, id, segment.id)).toMatchObject({ isMember: true });
  }
  expect(await base.kept(segment.id)).toEqual(new Set(contacts.map(({ id }) => id)));
});

test('killing processes midway loses no event: each contact enters once, whichever process finds it next', {
  timeout: 300_000,
}, async () => {
  const { base, segment, contacts, workOf, movesOf } = await startBase();
  await runProcesses(PROCESS, workOf([['vip']]), PROCESSES / 2);
  await base.quiet();
  const reported = [...(await movesOf())].map(([contactId, own]) => [contactId, own.map(({ kind }) => kind)]);
  const expected = contacts.map(({ id }) => [id, ['entered']]);
  expect(reported.toSorted()).toEqual(expected.toSorted());
  expect(await base.kept(segment.id)).toEqual(new Set(contacts.map(({ id }) => id)));
});
