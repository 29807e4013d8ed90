import type { Contact } from '../../../shared/domain/contacts/contact.ts';
import type { Id } from '../../../shared/domain/core/ids.ts';
import { type PerformPorts, performEffect } from '../../../shared/domain/journeys/perform.ts';
import { KEYS } from '../../../shared/storage/access-patterns.ts';
import { readContact } from '../../../shared/storage/contacts/contacts.ts';
import { readRow } from '../../../shared/storage/read-row.ts';
import { Outside } from '../../journeys/stage.ts';
import type { World } from '../world.ts';
import { submitPortsOf } from '../world-queued.ts';

/** The effects of journeys whose steps only send: the sends of a world, with its wallets. */
export const sendingOutside = (world: World): Outside => {
  const phoneOf = async (_: unknown, id: Id<'contact'>): Promise<Contact['phone'] | undefined> =>
    (await readRow(world.table, KEYS.contact(id), readContact))?.phone;
  const ports = { submit: { ...submitPortsOf(world), recipientOf: phoneOf } };
  const outside = new Outside();
  outside.perform = (context, effect) => performEffect(ports as unknown as PerformPorts, context, effect);
  return outside;
};
