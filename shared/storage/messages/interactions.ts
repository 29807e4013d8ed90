import { channelOf } from '../../domain/channels/registry.ts';
import type { Clock } from '../../domain/core/time.ts';
import type { LinkPorts } from '../../domain/tracking/follow-link.ts';
import type { Table } from '../client/table.ts';
import { recordInteraction } from '../contacts/interactions.ts';
import { holderOf } from './inbound.ts';

/**
 * Records that the person whom a message went to opened it or followed a link: the contact that it named, else the one that has its
 * recipient. One write, after a read where the message named nobody; nothing where the recipient is no contact.
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
