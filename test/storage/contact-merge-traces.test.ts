import { describe, expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { deleteContact, eraseContact } from '../../shared/domain/contacts/erase.ts';
import { mergeContacts, moveMerged, PASSES_MS } from '../../shared/domain/contacts/merge.ts';
import { CHECK_AGAIN_MS } from '../../shared/domain/core/clear-links.ts';
import { CONFLICT } from '../../shared/domain/core/retry-on-conflict.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { recordInteraction } from '../../shared/storage/contacts/interactions.ts';
import { accepted } from '../support/accepted.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { use } from '../support/use.ts';
import { mergeStage } from './contact-merge-stage.ts';

const stage = await use(mergeStage());
const { world, merge, move } = stage;

/** Two contacts of one person, each with everything that there is of a contact. */
const twoOfOne = async () => {
  const target = await stage.known('+5511999990101');
  const duplicate = await stage.known('+5511999990102');
  return { target, duplicate };
};
const numbersOf = (...contacts: readonly { contact: Contact }[]) => contacts.map(({ contact }) => contact.number);

describe('a row that names a merged contact', () => {
  test('names the contact that it was merged into: messages, what was received, turns, devices, events and opt-outs', async () => {
    const { target, duplicate } = await twoOfOne();
    accepted(await merge(target.contact, duplicate.contact));
    await move(duplicate.contact.id);
    expect(await stage.namedBy(target.contact.id)).toEqual([...target.traces, ...duplicate.traces].toSorted());
    expect(await stage.namedBy(duplicate.contact.id)).toEqual([]);
  });

  test('has its place in each list, and a list that has both loses one', async () => {
    const { target, duplicate } = await twoOfOne();
    const both = await stage.makeList(numbersOf(target, duplicate));
    const one = await stage.makeList(numbersOf(duplicate));
    accepted(await merge(target.contact, duplicate.contact));
    for (const id of [both, one]) expect(await stage.membersOf(id)).toEqual({ members: numbersOf(target), size: 1 });
  });

  test('that a call was about to put into a list is there as the contact that it was merged into', async () => {
    const { target, duplicate } = await twoOfOne();
    const id = await stage.makeList([]);
    const open = await stage.members.open(stage.actor.organizationId, id);
    const found = await open?.find({ contactIds: [duplicate.contact.id] });
    accepted(await merge(target.contact, duplicate.contact));
    expect(found && (await open?.commit('add', found.numbers))).toMatchObject({ total: 1 });
    expect(await stage.membersOf(id)).toEqual({ members: numbersOf(target), size: 1 });
  });

  test('and appears later is found by a later pass, until the last one', async () => {
    const { target, duplicate } = await twoOfOne();
    accepted(await merge(target.contact, duplicate.contact));
    for (const look of PASSES_MS) {
      await move(duplicate.contact.id);
      const late = await stage.storeTurn(duplicate.contact.id);
      const row = await world.table.get(KEYS.merge(duplicate.contact.id));
      expect(row).toHaveProperty('duePk');
      expect(Number(row?.dueAt) - world.now).toBeLessThanOrEqual(look);
      world.now = Number(row?.dueAt);
      await move(duplicate.contact.id);
      expect(await stage.namedBy(target.contact.id)).toContain(late);
    }
    expect(await world.table.get(KEYS.merge(duplicate.contact.id))).not.toHaveProperty('duePk');
  });

  test('follows to no contact that is deleted meanwhile', async () => {
    const { target, duplicate } = await twoOfOne();
    const merged = accepted(await merge(target.contact, duplicate.contact));
    await deleteContact(stage.erasing, stage.actor, target.contact.id);
    for (const sweep of stage.ports.sweeps) expect(await sweep(duplicate.contact.id, merged)).toBe('more');
    expect(await stage.namedBy(duplicate.contact.id)).toEqual(duplicate.traces.toSorted());
    await move(duplicate.contact.id);
    expect(await world.table.get(KEYS.merge(duplicate.contact.id))).not.toHaveProperty('duePk');
  });

  test('follows over several merges, in whatever order their work is done', async () => {
    const { target, duplicate } = await twoOfOne();
    const third = await stage.known('+5511999990103');
    accepted(await merge(duplicate.contact, third.contact));
    accepted(await merge(target.contact, duplicate.contact));
    await Promise.all([move(third.contact.id), move(duplicate.contact.id), move(third.contact.id)]);
    await Promise.all([move(third.contact.id), move(duplicate.contact.id)]);
    const all = [...target.traces, ...duplicate.traces, ...third.traces].toSorted();
    expect(await stage.namedBy(target.contact.id)).toEqual(all);
  });

  test('is found before it follows: an interaction that names the duplicate is the heir’s', async () => {
    const { target, duplicate } = await twoOfOne();
    accepted(await merge(target.contact, duplicate.contact));
    const at = world.now + 60_000;
    const { organizationId } = stage.actor;
    await recordInteraction(world.table, {
      organizationId,
      contactId: duplicate.contact.id,
      lastInteractionAt: at,
      updatedAt: at,
    });
    expect(await stage.contactNow(target.contact.id)).toMatchObject({ lastInteractionAt: at });
  });
});

describe('a merge that crashes before any of its calls', () => {
  test('made one contact of two, or nothing, and repeated it ends as one that was not interrupted', async () => {
    const { target, duplicate } = await twoOfOne();
    const lists = [await stage.makeList(numbersOf(target, duplicate)), await stage.makeList(numbersOf(duplicate))];
    const crashes = await crashEverywhere(world.table, async (table) => {
      const [one, other] = await Promise.all([target, duplicate].map(({ contact }) => stage.find(contact.id)));
      // Either contact as it was, or one that has what both had.
      expect([one?.version, other?.version]).toEqual(
        other ? [target.contact.version, duplicate.contact.version] : [target.contact.version + 1, undefined],
      );
      if (!other) expect((await stage.store.read(duplicate.contact.id))?.into).toBe(target.contact.id);
      accepted(await mergeContacts(stage.portsOver(table), stage.actor, target.contact.id, duplicate.contact.id));
    });
    expect(crashes).toBeGreaterThan(2);
    const moves = await crashEverywhere(world.table, async (table) => {
      const named = await Promise.all([target, duplicate].map(({ contact }) => stage.namedBy(contact.id)));
      // Nothing is lost or doubled on its way.
      expect(named.flat().toSorted()).toEqual([...target.traces, ...duplicate.traces].toSorted());
      await moveMerged(stage.portsOver(table), duplicate.contact.id);
    });
    expect(moves).toBeGreaterThan(20);
    expect(await stage.namedBy(target.contact.id)).toEqual([...target.traces, ...duplicate.traces].toSorted());
    for (const id of lists) expect(await stage.membersOf(id)).toEqual({ members: numbersOf(target), size: 1 });
    expect(stage.raised().filter((type) => type === 'contact.merged').length).toBeLessThanOrEqual(1);
    expect(await stage.countOf()).toBe(1);
  });
});

describe('the erasure of a contact that others were merged into', () => {
  const erase = async (...contacts: readonly { contact: Contact }[]) => {
    for (const _ of [1, 2]) {
      for (const { contact } of contacts) await eraseContact(stage.erasing, contact.id);
      world.now += CHECK_AGAIN_MS;
    }
    for (const { contact } of contacts) await eraseContact(stage.erasing, contact.id);
  };

  test('takes all of them from all that is kept, whether or not it had followed', async () => {
    for (const hasFollowed of [true, false]) {
      const { target, duplicate } = await twoOfOne();
      accepted(await merge(target.contact, duplicate.contact));
      if (hasFollowed) await move(duplicate.contact.id);
      expect(await deleteContact(stage.erasing, stage.actor, target.contact.id)).toBeUndefined();
      await move(duplicate.contact.id);
      await erase(target, duplicate);
      expect([await stage.mentions(target), await stage.mentions(duplicate)]).toEqual([[], []]);
      expect(await world.table.get(KEYS.merge(duplicate.contact.id))).toBeUndefined();
    }
  });

  test('that crashes before any of its calls converges: neither contact and no trace of them is left', async () => {
    const { target, duplicate } = await twoOfOne();
    accepted(await merge(target.contact, duplicate.contact));
    await crashEverywhere(world.table, async (table) => {
      await deleteContact(stage.erasingOver(table), stage.actor, target.contact.id);
    });
    expect(await stage.find(target.contact.id)).toBeUndefined();
    for (const _ of [1, 2]) {
      for (const { contact } of [target, duplicate])
        await crashEverywhere(world.table, (table) => eraseContact(stage.erasingOver(table), contact.id));
      world.now += CHECK_AGAIN_MS;
    }
    await erase(target, duplicate);
    expect([await stage.mentions(target), await stage.mentions(duplicate)]).toEqual([[], []]);
    expect(await world.table.get(KEYS.erasure(duplicate.contact.id))).toBeUndefined();
  });

  test('concurrent with the merge leaves nothing behind, whichever was first', async () => {
    for (let round = 0; round < 6; round++) {
      const { target, duplicate } = await twoOfOne();
      const gone = round % 2 === 0 ? target : duplicate;
      const outcomes = await Promise.all([
        merge(target.contact, duplicate.contact),
        deleteContact(stage.erasing, stage.actor, gone.contact.id),
      ]);
      expect(outcomes).not.toContain(CONFLICT);
      const left = (await Promise.all([target, duplicate].map(({ contact }) => stage.find(contact.id)))).flatMap(
        (one) => one ?? [],
      );
      for (const { id } of left) await deleteContact(stage.erasing, stage.actor, id);
      await Promise.all([move(duplicate.contact.id), erase(target, duplicate)]);
      await move(duplicate.contact.id);
      await erase(target, duplicate);
      expect([await stage.mentions(target), await stage.mentions(duplicate)]).toEqual([[], []]);
    }
  });
});
