import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { DEFAULT_TIME_ZONE, GRANULARITIES, WINDOW_DAYS } from '../domain/metrics/window.ts';
import { coins, count, dateTime, environment, openObject, part, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const channel = z.enum(CHANNELS).meta({ description: 'The channel.', example: 'sms' });
const granularity = z.enum(GRANULARITIES).meta({
  description: 'Whether items are hours (UTC) or days of the time zone.',
  example: 'hour',
});

const figures = {
  total: count('Messages that were sent, or failed without being sent.', 125),
  sent: count('Messages that a provider accepted.', 120),
  delivered: count('Of these, messages that reached their recipients.', 110),
  read: count('Of these, messages that are known to have been read. Opens of e-mails do not count.', 40),
  failed: count('Messages of the total that do not reach their recipients.', 12),
  coins: coins('What was charged for them, less refunds.'),
};

const rate = (description: string, example: number) =>
  z
    .number()
    .min(0)
    .nullable()
    .meta({ description: `${description}, from 0 to 1; null where the latter is 0.`, example });
const rates = {
  deliveryRate: rate('The share of delivered in sent', 0.9167),
  readRate: rate('The share of read in delivered', 0.3636),
  failureRate: rate('The share of failed in total', 0.096),
};

const ChannelFigures = openObject('ChannelFigures', 'The outcomes of the messages of a channel.', {
  channel,
  ...figures,
  ...rates,
});

export const Metrics = openObject('Metrics', 'The outcomes of messages in a time window, by channel.', {
  env: environment,
  granularity,
  timeZone: text('The time zone of the days.', DEFAULT_TIME_ZONE),
  from: dateTime('The start of the first hour or day.'),
  to: dateTime('The end of the last hour or day.'),
  totals: part('All channels together.', { ...figures, ...rates }),
  channels: z.array(ChannelFigures).meta({ description: 'Each channel with messages, sorted by name.' }),
  failures: z
    .array(
      part('The number of messages of a channel that failed for a reason.', {
        channel,
        reason: text('A reason of the channel; `other` where none is known.', 'invalid_number'),
        count: count('The number of messages.', 7),
      }),
    )
    .meta({ description: 'The reasons of failures, the most frequent first; 20 at most.' }),
  items: z
    .array(
      part('An hour or a day.', {
        start: dateTime('Its start.'),
        end: dateTime('Its end, which is the start of the next.'),
        channels: z
          .array(part('The outcomes of the messages of a channel.', { channel, ...figures }))
          .meta({ description: 'Each channel with messages; empty if there were none.' }),
      }),
    )
    .meta({ description: 'Every hour or day of the window, oldest first.' }),
});

export const getMetrics = defineOperation({
  id: 'metrics.get',
  route: 'GET /v2/metrics',
  tag: 'Metrics',
  summary: 'Read the outcomes of messages over time, by channel',
  description:
    'Changes of a message are counted within about 20 seconds, in the hour in which it was sent, or failed without being sent; a receipt counts in the hour of its message, however late it arrives. Reads counters, never messages.',
  permission: 'messages:read',
  query: z.strictObject({
    from: dateTime(
      `The start time of the window. Default: ${WINDOW_DAYS.hour.usual} day before its end for hours, ${WINDOW_DAYS.day.usual} days for days.`,
    ).optional(),
    to: dateTime(
      `The end time of the window, at most ${WINDOW_DAYS.hour.most} days after its start for hours and ${WINDOW_DAYS.day.most} for days. Default: now.`,
    ).optional(),
    granularity: granularity.default('hour'),
    timeZone: z.string().min(1).max(64).default(DEFAULT_TIME_ZONE).meta({
      description: 'The IANA time zone of the days, which must start on an hour of UTC.',
      example: DEFAULT_TIME_ZONE,
    }),
    channel: channel.optional(),
  }),
  answer: Metrics,
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'read' },
});
