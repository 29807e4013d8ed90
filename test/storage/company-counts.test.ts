import { describe, expect, test } from 'vitest';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import {
  type CompanyLink,
  cardCounts,
  companyCountWrites,
  type LinkChange,
  newShardWrites,
  removeShardWrites,
  sumOfShards,
} from '../../shared/storage/crm/company-counts.ts';
import { COMPANY_SHARDS, shardOf } from '../../shared/storage/table-indexes.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const organizationId = newId('organization');

const company = async (): Promise<Id<'company'>> => {
  const companyId = newId('company');
  await world.table.transact(newShardWrites(organizationId, companyId));
  return companyId;
};
const shardsOf = (companyId: Id<'company'>): Promise<Row[]> =>
  world.table.queryAll({ partition: KEYS.company(companyId).pk, consistent: true });
const countsOf = async (companyId: Id<'company'>) => sumOfShards(await shardsOf(companyId));
const contactOf = (companyId?: Id<'company'>, objectId = newId('contact')): CompanyLink => ({
  organizationId,
  companyId,
  objectId,
  counts: { contacts: 1 },
});
const apply = (changes: readonly LinkChange[], gone?: ReadonlySet<Id<'company'>>) =>
  world.table.transact(companyCountWrites(changes, gone).map(({ write }) => write));
/** Contacts that are counted on one shard. */
const onOneShard = (many: number): Id<'contact'>[] => {
  const found: Id<'contact'>[] = [];
  while (found.length < many) {
    const id = newId('contact');
    if (shardOf(id, COMPANY_SHARDS) === 0) found.push(id);
  }
  return found;
};

describe('the counts of a company', () => {
  test('follow a card from company to company, and its value and status within one', async () => {
    const [one, other] = [await company(), await company()];
    const card = (companyId: Id<'company'>, counts: CompanyLink['counts'], objectId: Id<'card'>): CompanyLink => ({
      organizationId,
      companyId,
      objectId,
      counts,
    });
    const id = newId('card');
    const open = card(one, cardCounts('aberto', 1_050), id);
    await apply([{ after: open }]);
    const moreExpensive = card(one, cardCounts('aberto', 3_000), id);
    expect(companyCountWrites([{ before: open, after: moreExpensive }])).toMatchObject([
      { joins: false, write: { add: { openCents: 1_950 } } },
    ]);
    await apply([{ before: open, after: moreExpensive }]);
    expect(await countsOf(one)).toMatchObject({ cards: 1, openCards: 1, openCents: 3_000, wonCards: 0 });
    const won = card(other, cardCounts('ganho', 3_000), id);
    await apply([{ before: moreExpensive, after: won }]);
    expect(await countsOf(one)).toEqual({
      contacts: 0,
      cards: 0,
      openCards: 0,
      openCents: 0,
      wonCards: 0,
      wonCents: 0,
    });
    expect(await countsOf(other)).toMatchObject({ cards: 1, openCards: 0, wonCards: 1, wonCents: 3_000 });
    await apply([{ before: won, after: card(other, cardCounts('perdido', 3_000), id) }]);
    expect(await countsOf(other)).toMatchObject({ cards: 1, openCents: 0, wonCards: 0, wonCents: 0 });
  });

  test('take one write a shard for the contacts of a transaction, and none where nothing changes', async () => {
    const companyId = await company();
    const links = onOneShard(5).map((id) => contactOf(companyId, id));
    const writes = companyCountWrites(links.map((after) => ({ after })));
    expect(writes).toHaveLength(1);
    expect(writes).toMatchObject([{ write: { add: { contacts: 5 } } }]);
    expect(companyCountWrites(links.map((link) => ({ before: link, after: link })))).toEqual([]);
    expect(companyCountWrites([{ before: contactOf(), after: contactOf() }])).toEqual([]);
  });

  test('of one that another takes the place of are unchanged, and its company is still checked', async () => {
    const unknown = newId('company');
    const [left, joining] = onOneShard(2).map((id) => contactOf(unknown, id));
    const outcome = await apply([{ before: left }, { after: joining }]);
    expect(outcome).toMatchObject({ ok: false, reasons: [{ conditionFailed: true }] });
  });

  test('are of companies that exist and are of the organization', async () => {
    const companyId = await company();
    expect((await apply([{ after: contactOf(newId('company')) }])).ok).toBe(false);
    expect((await apply([{ after: { ...contactOf(companyId), organizationId: newId('organization') } }])).ok).toBe(
      false,
    );
    expect((await countsOf(companyId)).contacts).toBe(0);
  });

  test('of a deleted company let contacts leave it, and let none join it', async () => {
    const gone = newId('company');
    const contact = contactOf(gone);
    expect((await apply([{ before: contact }])).ok).toBe(false);
    expect(companyCountWrites([{ before: contact }], new Set([gone]))).toEqual([]);
    expect(companyCountWrites([{ after: contact }], new Set([gone]))).toMatchObject([{ joins: true }]);
    expect(await shardsOf(gone)).toEqual([]);
  });
});

describe('the deletion of the shards', () => {
  test('fails as a whole once one of them counts something else', async () => {
    const companyId = await company();
    await apply([{ after: contactOf(companyId) }]);
    const read = await shardsOf(companyId);
    expect(read).toHaveLength(COMPANY_SHARDS);
    await apply([{ after: contactOf(companyId) }]);
    expect((await world.table.transact(removeShardWrites(read))).ok).toBe(false);
    expect((await countsOf(companyId)).contacts).toBe(2);
    expect((await world.table.transact(removeShardWrites(await shardsOf(companyId)))).ok).toBe(true);
    expect(await shardsOf(companyId)).toEqual([]);
    expect((await world.table.transact(removeShardWrites(read))).ok).toBe(false);
  });
});
