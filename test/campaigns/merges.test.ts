import { beforeEach, describe, expect, test } from 'vitest';
import { startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import type { PortionPorts } from '../../shared/domain/campaigns/ports.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { mergeContacts } from '../../shared/domain/contacts/merge.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { mergeStore } from '../../shared/storage/contacts/merges.ts';
import { recipientRows } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, driveItem, workOff, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const bulk = bulkWorld(world);
const ports = campaignPortsOver(world, world.table);
const MINUTE_MS = 60_000;

const merge = async (actor: Actor, into: Contact, duplicate: Contact): Promise<void> => {
  const mergePorts = {
    clock: () => world.now,
    contacts: {
      documents: async () => {
        throw new Error('nobody has documents');
      },
      store: contactStore(world.table, () => {}),
    },
    store: mergeStore(world.table, () => {}),
    lists: { replace: async () => {} },
    enqueue: () => {},
  };
  accepted(await mergeContacts(mergePorts, actor, into.id, duplicate.id));
};

/** A campaign to two contacts, one in each of its first two minutes. */
const started = async () => {
  const actor = await world.organization();
  const people = (await writePeople(world, actor, [{}, {}])) as [Contact, Contact];
  const [first, second] = people;
  // A merge has the phones of both lead to one contact.
  for (const { id: contactId, number: contactNumber, organizationId, phoneHash, optIn } of people) {
    const row = {
      organizationId,
      contactId,
      contactNumber,
      optInStatus: optIn.status,
      optedOut: 0,
      suppressedUntil: 0,
    };
    await world.table.write({ put: recipientRows.write(row, KEYS.phone(organizationId, phoneHash)) });
  }
  const id = await draftTo(ports, actor, [first, second], { perMinute: 1 });
  accepted(await startCampaign(ports, actor, id));
  await workOnCampaign(ports, driveItem(id));
  return { actor, id, first, second };
};
const portionOf = (id: Id<'campaign'>, portion: number) => ({ pk: `CMPP#${id}#${portion}`, sk: 'PORTION' });
const messagesOf = async (actor: Actor) => (await bulk.messages(actor)).filter(({ hold }) => hold !== 'released');

describe('a person who was two contacts of a campaign', () => {
  test('gets no second message once the contact that has one is merged into the other', async () => {
    const { actor, id, first, second } = await started();
    await workOnCampaign(ports, portionOf(id, 0));
    await merge(actor, second, first);
    world.now += 2 * MINUTE_MS;
    await workOff(world, ports, id);
    expect(await messagesOf(actor)).toMatchObject([{ to: first.phone }]);
    expect(await ports.portions.read(id, 1)).toMatchObject({
      state: 'done',
      skipped: [[second.number, 'sent_before']],
    });
  });

  test('gets no second message where both become one between the read of the other and its acceptance', async () => {
    const { actor, id, first, second } = await started();
    await workOnCampaign(ports, portionOf(id, 0));
    world.now += 2 * MINUTE_MS;
    let merges = 0;
    const contactsOf: PortionPorts['contactsOf'] = async (...of) => {
      const contacts = await ports.contactsOf(...of);
      if (merges++ === 0) await merge(actor, second, first);
      return contacts;
    };
    await workOnCampaign({ ...ports, contactsOf }, portionOf(id, 1));
    expect(await messagesOf(actor)).toHaveLength(1);
    world.now += MINUTE_MS;
    await workOff(world, ports, id);
    expect(await messagesOf(actor)).toHaveLength(1);
    expect(await ports.portions.read(id, 1)).toMatchObject({
      state: 'done',
      skipped: [[second.number, 'sent_before']],
    });
  });

  test('waits while the message of the one is still being decided, and gets its own where that is refused', async () => {
    const { actor, id, first, second } = await started();
    const undecided: PortionPorts = {
      ...ports,
      bulk: {
        ...ports.bulk,
        store: {
          ...ports.bulk.store,
          decideBatch: async () => {
            throw new Error('the process ends');
          },
        },
      },
    };
    await expect(workOnCampaign(undecided, portionOf(id, 0))).rejects.toThrow('the process ends');
    await merge(actor, second, first);
    world.now += MINUTE_MS / 2;
    const early = campaignPortsOver(world, world.table);
    const portion = await ports.portions.read(id, 1);
    world.now = Math.max(world.now, portion?.dueAt ?? 0);
    await workOnCampaign(early, portionOf(id, 1));
    expect(await ports.portions.read(id, 1)).toMatchObject({ state: 'open', sent: [], skipped: [] });
    world.now += 2 * MINUTE_MS;
    await bulk.dispatch();
    await workOff(world, ports, id);
    expect(await messagesOf(actor)).toMatchObject([{ to: second.phone }]);
  });

  test('gets the message that was not sent to the contact that was merged into the other', async () => {
    const { actor, id, first, second } = await started();
    await merge(actor, second, first);
    world.now += 2 * MINUTE_MS;
    await workOff(world, ports, id);
    expect(await messagesOf(actor)).toMatchObject([{ to: second.phone }]);
  });
});
