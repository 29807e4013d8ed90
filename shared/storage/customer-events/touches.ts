import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import {
  type Attribution,
  TOUCH_CHANNELS,
  TOUCHING_STATUSES,
  type Touch,
  type TouchChannel,
} from '../../domain/customer-events/attribution.ts';
import type { CustomerEventPorts } from '../../domain/customer-events/record.ts';
import { KEYS } from '../access-patterns.ts';
import { journeyLabel } from '../automation/labels.ts';
import { time } from '../client/attributes.ts';
import { all, oneOf } from '../client/conditions.ts';
import { between } from '../client/pages.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';

/** The latest messages of a contact on a channel that are examined, so that the cost is bounded. */
const MAX_SCANNED = 500;
/**
 * The longest time between creation and sending of a message, in ms: 90 days of schedule, and a month of deferrals by quiet hours and
 * rates.
 */
const MAX_WAIT_MS = 120 * 24 * 3_600_000;

const entry = z.object({ pk: z.string(), sentAt: time, campaignId: z.string().optional() });

type Window = Parameters<CustomerEventPorts['touches']>[2];

/** A contact's messages are ordered by creation, which precedes sending. */
const rangeOf = (
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
  channel: TouchChannel,
  { from, to }: Window,
): QueryRange => ({
  index: 'gsi2',
  partition: INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk,
  sort: between({ from: from - MAX_WAIT_MS, to }),
  filter: all(
    oneOf('org', [organizationId]),
    oneOf('status', TOUCHING_STATUSES),
    { text: 'attribute_not_exists(#archivedAt)' },
    {
      text: '#sentAt BETWEEN :sentFrom AND :sentTo',
      values: { sentFrom: isoTime(Math.max(from, 0)), sentTo: isoTime(to) },
    },
  ),
  newestFirst: true,
  only: ['pk', 'sentAt', 'campaignId'],
  limit: MAX_SCANNED,
});

const labelled = z.object({ journey: journeyLabel.pick({ journeyId: true, stepId: true, runId: true }).optional() });

/** The step of a journey that sent a message, which a message keeps permanently. One read. */
export const journeyOf = async (table: Table, messageId: Id<'message'>): Promise<Attribution['journey']> => {
  const row = await table.get(KEYS.message(messageId), { only: ['journey'] });
  return row && labelled.parse(row).journey;
};

/**
 * The messages to a contact that were sent in a window (ms, both inclusive), and did not fail: per channel those among the last 500 created
 * before its end. A query of an index per channel, in parallel; no message row is read. Eventually consistent.
 */
export const touchesOf = async (
  table: Table,
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
  window: Window,
): Promise<Touch[]> => {
  const found = await Promise.all(
    TOUCH_CHANNELS.map(async (channel) => {
      const { rows } = await table.query(rangeOf(organizationId, contactId, channel, window));
      return rows.map((row) => {
        const { pk, sentAt, campaignId } = entry.parse(row);
        return { messageId: PARSE_KEY.message({ pk }), channel, campaignId, sentAt };
      });
    }),
  );
  return found.flat();
};
