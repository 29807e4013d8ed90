import * as z from 'zod';
import { AUDIT_ACTOR_KINDS } from '../../domain/audit/entry.ts';
import { CARD_ACTS, type CardEntry } from '../../domain/cards/card.ts';
import type { CursorItems } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import { type Id, randomBase62 } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { type CursorRequest, cursorPage } from '../client/cursor-pages.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

const entryRows = defineRow<CardEntry>()({
  attributes: {
    cardId: id('card'),
    organizationId: id('organization'),
    at: time,
    act: z.enum(CARD_ACTS),
    actor: z
      .object({
        kind: z.enum(AUDIT_ACTOR_KINDS),
        id: z.union([id('account'), id('apiKey'), z.literal('operator')]),
      })
      .optional(),
    from: id('stage').optional(),
    to: id('stage').optional(),
    fields: z.array(z.string()).optional(),
  },
  rename: { organizationId: 'org' },
  key: ({ cardId, at }, mark: string) => KEYS.cardHistory(cardId, `${isoTime(at)}#${mark}`),
});

/** The write of an entry, in the transaction of its change. */
export const entryWrite = (entry: CardEntry): WriteOp => ({ put: entryRows.write(entry, randomBase62(8)) });

const rangeOf = (cardId: Id<'card'>) => {
  const { pk: partition, sk: prefix } = KEYS.cardHistory(cardId, '');
  return { partition, sort: { text: 'begins_with(#sk, :prefix)', values: { prefix } } };
};

/** A page of a card's history, newest first. */
export const historyPage = async (
  table: Table,
  cardId: Id<'card'>,
  request: CursorRequest,
): Promise<CursorItems<CardEntry> | Refusal<'BAD_REQUEST'>> => {
  const page = await cursorPage(table, { ...rangeOf(cardId), consistent: true }, request);
  if (isRefusal(page)) return page;
  const { keys, ...rest } = page;
  return { items: keys.map(entryRows.read), ...rest };
};
