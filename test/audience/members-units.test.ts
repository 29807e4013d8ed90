import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCountingProxy } from '../../bench/counting-proxy.ts';
import type { FilterTree } from '../../shared/domain/audience/filters.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { newEvent } from '../../shared/domain/events/event.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { BASELINE_DELAY_MS } from '../../shared/storage/segments/sweeps.ts';
import { patient } from '../support/patient-client.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { startMembers } from './members-base.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/audience.md'), 'utf8');
const SEGMENTS = 10;
const MOST = 30;
const world = await use(startWorld('test', { inMemory: false }));

const tagged = (tag: string): FilterTree => ({ kind: 'leaf', filter: { field: 'tag', operator: 'is', value: tag } });
const tags = Array.from({ length: SEGMENTS }, (_, at) => `tag${at}`);

test(`a contact's write takes at most ${MOST} write units with ten segments, its worker's included, as docs/audience.md says`, async () => {
  const meter = await startCountingProxy(world.proxy.endpoint);
  const metered = new Table(patient(tableClient(meter.endpoint)), world.table.name);
  const base = await startMembers(world, 0, false);
  const store = contactStore(metered, () => {});
  for (const tag of tags) await base.addSegment(tagged(tag));
  world.now += BASELINE_DELAY_MS;
  await base.quiet();
  let contact: Contact | undefined;
  const unitsOf = async (change: Partial<Contact>): Promise<number> => {
    const { organizationId, env } = base;
    const [number] = contact ? [contact.number] : [await store.takeNumbers(organizationId, 1)];
    const common = { organizationId, env, createdAt: world.now, type: 'contact.created', data: {} } as const;
    const first = {
      source: 'api',
      tags: [],
      attributes: {},
      optIn: { status: 'unknown' },
      phone: '+5511987654321',
    } as const;
    const own = { id: newId('contact'), number, phoneHash: 'hash', organizationId, env, createdAt: world.now };
    const before = contact;
    meter.reset();
    const after = { ...first, ...own, ...before, ...change, updatedAt: world.now, version: (before?.version ?? 0) + 1 };
    const stored = before ? store.change(before, after, undefined) : store.create(after, newEvent(common));
    expect((await stored).kind).toBe(before ? 'changed' : 'created');
    contact = after;
    while (await base.work(metered));
    return meter.taken().writeUnits;
  };
  const measured = {
    'Create one that enters one': 1 + (await unitsOf({ tags: ['tag0'] })),
    'Change one without a transition': await unitsOf({ tags: ['tag0', 'other'] }),
    'Change one that enters one segment and leaves another': await unitsOf({ tags: ['tag1'] }),
    'Change one that enters nine and leaves one': await unitsOf({ tags: tags.filter((tag) => tag !== 'tag1') }),
  };
  await meter.close();
  const documented = Object.keys(measured).map((row) => [
    row,
    Number(new RegExp(`\\| ${row} \\| (\\d+) \\|`).exec(PAGE)?.[1]),
  ]);
  expect(Object.fromEntries(documented)).toEqual(measured);
  expect(Math.max(...Object.values(measured))).toBeLessThanOrEqual(MOST);
});
