import { describe, expect, test } from 'vitest';
import {
  type AuditAction,
  type AuditEntry,
  auditEntry,
  operatorEntry,
  STAGE_LOG,
} from '../../shared/domain/audit/entry.ts';
import { AUDIT_KEPT_MS, type AuditFilter } from '../../shared/domain/audit/views.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { auditWrites, listAudit } from '../../shared/storage/audit/audit-log.ts';
import { accepted } from '../support/accepted.ts';
import { pagesOf } from '../support/pages.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const vault = createVault(Buffer.alloc(32, 7));
const world = await use(startWorld('live'));
const { callsOf } = world.proxy;
const ACTIONS: readonly AuditAction[] = ['webhook.changed', 'webhook.created', 'sender.changed'];
const OBJECTS = ['wbh_1', 'wbh_2', 'snd_1', 'wbh#1'];
const MANY = 60;

/** Every entry, newest first. */
const stored: AuditEntry[] = [];
const listed = async (filter: AuditFilter, page: { limit?: number; cursor?: string } = {}, now = world.now) => {
  const { organizationId, env } = first;
  const scope = { organizationId, env, query: { ...filter } };
  const request = { vault, scope, cursor: page.cursor, limit: page.limit ?? 200, now };
  return listAudit(world.table, organizationId, filter, request);
};
const idsOf = async (filter: AuditFilter) => accepted(await listed(filter)).items.map(({ id }) => id);

const first = world.actor();
const actors = [first, { ...first, credentialId: newId('apiKey') }, { ...first, accountId: newId('account') }];
for (let at = 0; at < MANY; at++) {
  const act = {
    action: ACTIONS[at % ACTIONS.length] ?? 'webhook.changed',
    object: OBJECTS[(at * 7) % OBJECTS.length] ?? '',
    // Several share each moment, as they do in a burst.
    at: world.now - 3_600_000 + Math.floor(at / 3) * 1_000,
  };
  const actor = actors[at % 4];
  const entry = actor ? auditEntry(actor, act) : operatorEntry(first.organizationId, act);
  stored.unshift(entry);
  expect(await world.table.transact(auditWrites(entry))).toEqual({ ok: true });
}
stored.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));

describe('the audit log', () => {
  test('every choice of actor, action, object and time finds exactly what it says, newest first', async () => {
    const times = [undefined, stored[20]?.at, stored[40]?.at];
    const chosen = [undefined, ...new Set(stored.map(({ actor }) => actor.id))];
    for (const actor of [...chosen, 'key_nobody'])
      for (const action of [undefined, ...ACTIONS])
        for (const object of [undefined, ...OBJECTS])
          for (const from of times) {
            const filter = { actor, action, object, from, to: from === undefined ? undefined : from + 2_000 };
            const expected = stored.filter(
              (entry) =>
                (!actor || entry.actor.id === actor) &&
                (!action || entry.action === action) &&
                (!object || entry.object === object) &&
                (filter.from === undefined || (entry.at >= filter.from && entry.at <= (filter.to ?? 0))),
            );
            expect(await idsOf(filter), JSON.stringify(filter)).toEqual(expected.map(({ id }) => id));
          }
  });

  test('a page costs one query and one read of names, whatever is selected', async () => {
    const narrow = { actor: actors[1]?.credentialId, action: 'webhook.created', object: 'wbh#1' };
    for (const filter of [{}, narrow, { to: stored[50]?.at }])
      expect(await callsOf(() => listed(filter, { limit: 2 }))).toEqual({ Query: 1, BatchGetItem: 1 });
  });

  test('its pages hold every entry once, also with a full page at each step', async () => {
    const pages = await pagesOf(async (cursor) =>
      accepted(await listed({ action: 'sender.changed' }, { limit: 7, ...(cursor ? { cursor } : {}) })),
    );
    for (const { items, nextCursor } of pages) expect(items.length === 7 || nextCursor === undefined).toBe(true);
    expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(
      stored.filter(({ action }) => action === 'sender.changed').map(({ id }) => id),
    );
  });

  test('a cursor of another choice is refused', async () => {
    const { nextCursor = '' } = accepted(await listed({ action: 'sender.changed' }, { limit: 2 }));
    expect(isRefusal(await listed({ action: 'webhook.changed' }, { cursor: nextCursor }))).toBe(true);
  });

  test('an entry is not read after 400 days, though its row may stand for a while, and every row of it ends', async () => {
    const oldest = stored.at(-1);
    const found = accepted(await listed({}, {}, (oldest?.at ?? 0) + AUDIT_KEPT_MS + 1)).items;
    expect(found).toHaveLength(MANY - 3);
    for (const write of auditWrites(oldest))
      expect('put' in write && write.put.ttl).toBe(Math.ceil(((oldest?.at ?? 0) + AUDIT_KEPT_MS) / 1000));
  });

  test("the stage's log is apart from every organization's", async () => {
    const entry = operatorEntry(STAGE_LOG, { action: 'prices.set', object: 'prices', at: world.now });
    await world.table.transact(auditWrites(entry));
    expect(await idsOf({ action: 'prices.set' })).toEqual([]);
    const { organizationId, env } = world.actor();
    const scope = { organizationId, env, query: {} };
    const page = await listAudit(
      world.table,
      STAGE_LOG,
      {},
      { vault, scope, cursor: undefined, limit: 5, now: world.now },
    );
    expect(accepted(page).items).toEqual([{ ...entry, actorName: undefined }]);
  });
});
