import { channelOf } from '../../domain/channels/registry.ts';
import type { Clock } from '../../domain/core/time.ts';
import type { LinkPorts } from '../../domain/tracking/follow-link.ts';
import type { Table } from '../client/table.ts';
import { recordInteraction } from '../contacts/interactions.ts';
import { holderOf } from './inbound.ts';

/**
 * Records that a message's recipient opened it or followed a link: on the contact of the message, else on the contact with the recipient's
 * address. One write, after a read if the message has no contact; nothing if there is no such contact.
 */
export const interactionRecorder =
  (table: Table, clock: Clock): LinkPorts['interacted'] =>
  async ({ organizationId, channel, recipientHash: hash, contactId: named }, lastInteractionAt) => {
    const holder = named
      ? undefined
      : await holderOf(table, organizationId, { channel, kind: channelOf(channel).recipient, hash });
    const contactId = named ?? holder?.contactId;
    if (contactId !== undefined)
      await recordInteraction(table, { organizationId, contactId, lastInteractionAt, updatedAt: clock() });
  };
