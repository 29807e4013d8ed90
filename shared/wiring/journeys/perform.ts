import type { EnginePorts } from '../../domain/journeys/engine-ports.ts';
import { type PerformPorts, performEffect } from '../../domain/journeys/perform.ts';
import { contactPorts } from '../contacts/contacts.ts';
import { submitPorts } from '../messages/queue-and-send.ts';
import { cardPorts } from '../pipelines/cards.ts';
import { clock, vaults } from '../process/aws.ts';
import { journeys, SECRET_PURPOSE } from '../runs/store.ts';
import { webhookPorts } from '../webhooks/webhooks.ts';
import { openCard } from './open-card.ts';

const ports: PerformPorts = {
  clock,
  submit: submitPorts,
  contacts: contactPorts,
  cards: cardPorts,
  openCard,
  readLineage: journeys.readLineage,
  openSecret: async (organizationId, rootId, sealed) =>
    (await vaults.webhooks()).open(SECRET_PURPOSE, organizationId, sealed, rootId),
  post: webhookPorts.post,
  sign: webhookPorts.sign,
  userAgent: webhookPorts.userAgent,
};

/** Performs a step's effect. */
export const perform: EnginePorts['perform'] = (context, effect) => performEffect(ports, context, effect);
