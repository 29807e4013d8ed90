import { describe, expect, test } from 'vitest';
import { deleteContact } from '../../shared/domain/contacts/erase.ts';
import { CHECK_AGAIN_MS, clearLinks, type Gone } from '../../shared/domain/core/clear-links.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { type LinkedId, linkNow } from '../../shared/domain/core/tombstones.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { WriteOp } from '../../shared/storage/client/expressions.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { checkCardLink, checkCompanyLink, linkWrite } from '../../shared/storage/crm/links.ts';
import {
  contactTombstone,
  expireTombstone,
  readLinksNow,
  readTombstone,
  readTombstones,
  rescheduleTombstone,
  tombstoneWrite,
} from '../../shared/storage/crm/tombstones.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { COMPANY_SHARDS, shardOf } from '../../shared/storage/table-indexes.ts';
import { use } from '../support/use.ts';
import { mergeStage } from './contact-merge-stage.ts';

const stage = await use(mergeStage());
const { table } = stage.world;
const org = () => stage.actor.organizationId;
const link = (contactId: Id<'contact'>, organizationId = org()) =>
  table.transact([linkWrite(organizationId, contactId)]);
const person = async (phone: string) => stage.create({ phone, optIn: { status: 'unknown' } });
const remove = (id: Id<'contact'>) => deleteContact(stage.erasing, stage.actor, id);
const tombstonesOf = (...ids: readonly LinkedId[]) => readTombstones(table, org(), ids);

describe('links to contacts', () => {
  test('are refused to one that is not there or is another organization’s', async () => {
    const contact = await person('+5511988887001');
    expect(await link(newId('contact'))).toMatchObject({ ok: false });
    expect(await link(contact.id, newId('organization'))).toMatchObject({ ok: false });
    expect((await stage.contactNow(contact.id)).crmLinks).toBeUndefined();
  });

  test('have a deletion that read the contact before read it again', async () => {
    const contact = await person('+5511988887002');
    await link(contact.id);
    const entry = {
      id: newId('auditEntry'),
      owner: org(),
      at: 1,
      action: 'contact.deleted',
      object: contact.id,
      details: {},
    } as const;
    const actor = { kind: 'operator', id: 'operator' } as const;
    expect(await stage.erasing.store.delete(contact, [], { ...entry, actor })).toBe(false);
  });

  test('survive every change of the contact', async () => {
    const contact = await person('+5511988887003');
    await link(contact.id);
    const before = await stage.contactNow(contact.id);
    const after = { ...before, name: 'Bia', version: before.version + 1 };
    await stage.contacts.store.change(before, after, undefined);
    expect((await stage.contactNow(contact.id)).crmLinks).toBe(1);
  });
});

describe('links to cards and companies', () => {
  const by = newId('activity');
  const make = (write: WriteOp) => table.transact([write]);

  test('are refused to one that is not there or is another organization’s', async () => {
    const [card, company] = [newId('card'), newId('company')];
    const counts = KEYS.companyCounts(company, shardOf(by, COMPANY_SHARDS));
    expect(await make(checkCardLink(org(), card))).toMatchObject({ ok: false });
    expect(await make(checkCompanyLink(org(), company, by))).toMatchObject({ ok: false });
    await table.putMany([KEYS.card(card), counts].map((key) => ({ ...key, org: org() })));
    expect(await make(checkCardLink(org(), card))).toEqual({ ok: true });
    expect(await make(checkCompanyLink(org(), company, by))).toEqual({ ok: true });
    expect(await make(checkCardLink(newId('organization'), card))).toMatchObject({ ok: false });
    expect(await make(checkCompanyLink(newId('organization'), company, by))).toMatchObject({ ok: false });
  });
});

describe('a deleted contact', () => {
  test('leaves a tombstone if anything was ever linked to it, and none otherwise', async () => {
    const [named, unnamed] = [await person('+5511988887004'), await person('+5511988887005')];
    await link(named.id);
    await remove(named.id);
    await remove(unnamed.id);
    expect([...(await tombstonesOf(named.id, unnamed.id)).keys()]).toEqual([named.id]);
  });

  test('is shown as the contact that it became, over several merges, and as nothing once that is deleted', async () => {
    const [first, second, third] = [
      await person('+5511988887006'),
      await person('+5511988887007'),
      await person('+5511988887008'),
    ];
    await link(first.id);
    await stage.merge(second, first);
    await stage.merge(third, second);
    expect(linkNow(await tombstonesOf(first.id), first.id)).toBe(third.id);
    expect((await stage.contactNow(third.id)).crmLinks).toBe(1);
    await remove(third.id);
    const tombstones = await tombstonesOf(first.id);
    expect([first.id, second.id, third.id].map((id) => linkNow(tombstones, id))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('tombstones', () => {
  const gone = (id: Id<'contact'>, to?: Id<'contact'>) => ({ organizationId: org(), id, to, at: stage.world.now });

  test('are found by their ids where an organization has more than are read together', async () => {
    const [old, heir, alive] = [newId('contact'), newId('contact'), newId('contact')];
    const many = Array.from({ length: 820 }, () => contactTombstone(gone(newId('contact'))));
    const puts = [...many, contactTombstone(gone(old, heir)), contactTombstone(gone(heir))];
    await table.putMany(puts.map((write) => ('put' in write ? (write.put as Row) : expect.fail('a put'))));
    const tombstones = await tombstonesOf(old, alive);
    expect([linkNow(tombstones, old), linkNow(tombstones, alive)]).toEqual([undefined, alive]);
    expect(tombstones.size).toBe(2);
  });

  test('are not read for objects without links', async () => {
    const dead = {
      get query() {
        return expect.fail('a query');
      },
    } as never;
    expect(await readLinksNow(dead, org(), [{ contatoId: undefined }], ['contatoId'])).toEqual([
      { contatoId: undefined },
    ]);
  });

  test('hide links in objects and leave what is there', async () => {
    const [company, contact, card] = [newId('company'), newId('contact'), newId('card')];
    await table.transact([tombstoneWrite({ organizationId: org(), id: company, at: 1 })]);
    const objects = [{ empresaId: company, contatoId: contact, cardId: card, titulo: 'Ligar' }];
    expect(await readLinksNow(table, org(), objects, ['empresaId', 'contatoId', 'cardId'])).toEqual([
      { empresaId: undefined, contatoId: contact, cardId: card, titulo: 'Ligar' },
    ]);
  });
});

describe('clearing the links to a deleted company or card', () => {
  const begin = async () => {
    const id = newId('company');
    const at = stage.world.now;
    await table.transact([tombstoneWrite({ organizationId: org(), id, at })]);
    return id;
  };
  const dueNow = async (id: LinkedId) => {
    const items = await overdue(table, 'clean_up', stage.world.now, 1_000);
    return items.some(({ sk }) => sk === id);
  };
  const work = (id: LinkedId, ...outcomes: readonly ('done' | 'later' | 'more')[]) => {
    const handed: LinkedId[] = [];
    const ports = {
      clock: () => stage.world.now,
      read: (organizationId: Id<'organization'>, of: LinkedId) => readTombstone(table, organizationId, of),
      sweeps: outcomes.map((outcome) => async () => outcome),
      reschedule: (tombstone: Gone, at: number, isCleared: boolean) =>
        rescheduleTombstone(table, tombstone, at, isCleared),
      expire: (tombstone: Gone, now: number) => expireTombstone(table, tombstone, now),
      enqueue: (tombstone: Gone) => void handed.push(tombstone.id),
    };
    return clearLinks(ports, org(), id).then(() => handed);
  };
  const row = (id: LinkedId) => table.get(KEYS.tombstone(org(), id));

  test('is due with the deletion and continues immediately while there is more', async () => {
    const id = await begin();
    expect(await dueNow(id)).toBe(true);
    expect(await work(id, 'done', 'more')).toEqual([id]);
    expect(await dueNow(id)).toBe(true);
  });

  test('checks again after the indexes’ lag and then keeps the tombstone for readers under way', async () => {
    const id = await begin();
    expect(await work(id, 'done')).toEqual([]);
    expect(await dueNow(id)).toBe(false);
    stage.world.now += CHECK_AGAIN_MS;
    expect(await dueNow(id)).toBe(true);
    await work(id, 'later');
    expect((await row(id))?.ttl).toBeUndefined();
    stage.world.now += CHECK_AGAIN_MS;
    await work(id, 'done');
    expect((await row(id))?.ttl).toBeGreaterThanOrEqual((stage.world.now + 3_600_000) / 1_000);
    expect((await row(id))?.duePk).toBeUndefined();
    expect(linkNow(await tombstonesOf(id), id)).toBeUndefined();
  });

  test('does nothing for what is not gone', async () => {
    expect(await work(newId('card'), 'more')).toEqual([]);
  });
});
