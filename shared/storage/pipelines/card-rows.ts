import * as z from 'zod';
import type { Card } from '../../domain/cards/card.ts';
import { isoTime } from '../../domain/core/time.ts';
import { STAGE_TYPES } from '../../domain/pipelines/pipeline.ts';
import { KEYS } from '../access-patterns.ts';
import { freeAttributes, id, tenant, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

const attributes = {
  ...tenant,
  id: id('card'),
  pipelineId: id('pipeline'),
  stageId: id('stage'),
  stageKey: z.string(),
  title: z.string(),
  cents: z.int().optional(),
  currency: z.string(),
  responsibleId: id('account').optional(),
  contactId: id('contact').optional(),
  companyId: id('company').optional(),
  status: z.enum(STAGE_TYPES),
  lossReason: z.string().optional(),
  expectedOn: z.string().optional(),
  wonAt: time.optional(),
  lostAt: time.optional(),
  attributes: freeAttributes,
  order: z.string(),
  stalled: z.boolean(),
  stageSince: time,
  openStageId: id('stage').optional(),
  checkAt: time.optional(),
  createdAt: time,
  updatedAt: time,
  version: z.int(),
};
const rename = { organizationId: 'org' } as const;

/** The row of a card, with the entries that lists find it by. */
export const cardRows = defineRow<Card>()({
  attributes,
  rename,
  key: (card) => KEYS.card(card.id),
  index: ({ id: cardId, pipelineId, contactId, companyId, responsibleId, createdAt, checkAt }) => {
    const created = isoTime(createdAt);
    return {
      ...INDEX_KEYS.cardsOf(pipelineId, created, cardId),
      ...(contactId === undefined ? {} : INDEX_KEYS.cardsOfContact(contactId, created, cardId)),
      ...(companyId === undefined ? {} : INDEX_KEYS.cardsOfCompany(companyId, created, cardId)),
      ...(responsibleId === undefined ? {} : INDEX_KEYS.cardsOfAccount(responsibleId, created, cardId)),
      ...(checkAt === undefined ? {} : INDEX_KEYS.due('check_cards', cardId, checkAt)),
    };
  },
});

/** The copy of a card in its stage. */
export const stageRows = defineRow<Card>()({
  attributes,
  rename,
  key: (card) => KEYS.cardInStage(card.stageId, card.order, card.id),
});
