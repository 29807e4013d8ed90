import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { DEFAULT_TIME_ZONE, GRANULARITIES, WINDOW_DAYS } from '../domain/metrics/window.ts';
import { coins, count, dateTime, environment, openObject, part, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const channel = z.enum(CHANNELS).meta({ description: 'The channel.', example: 'sms' });
const granularity = z.enum(GRANULARITIES).meta({
  description: 'Whether the window is told by the hour (UTC) or by the day of the time zone.',
  example: 'hour',
});

const figures = {
  total: count('Messages that were sent, or ended without being sent.', 125),
  sent: count('Messages that a provider accepted.', 120),
  delivered: count('Of these, messages that reached their recipients.', 110),
  read: count('Of these, messages that are known to have been read. Opens of e-mails are no reads.', 40),
  failed: count('Messages of the total that do not reach their recipients.', 12),
  coins: coins('What was captured for them, less what was returned.'),
};

const rate = (description: string, example: number) =>
  z
    .number()
    .min(0)
    .nullable()
    .meta({ description: `${description}, from 0 to 1; null where there are none.`, example });
const rates = {
  deliveryRate: rate('Delivered of sent', 0.9167),
  readRate: rate('Read of delivered', 0.3636),
  failureRate: rate('Failed of the total', 0.096),
};

const ChannelFigures = openObject('ChannelFigures', 'What became of the messages of a channel.', {
  channel,
  ...figures,
  ...rates,
});

export const Metrics = openObject('Metrics', 'What became of messages in a window of time, by channel.', {
  env: environment,
  granularity,
  timeZone: text('The time zone of the days.', DEFAULT_TIME_ZONE),
  from: dateTime('The beginning of the first hour or day.'),
  to: dateTime('The end of the last hour or day.'),
  totals: part('All channels together.', { ...figures, ...rates }),
  channels: z.array(ChannelFigures).meta({ description: 'Each channel that has any, in the order of their names.' }),
  failures: z
    .array(
      part('How many messages of a channel failed for a reason.', {
        channel,
        reason: text("A reason of the channel; `other` for what has none of the channel's.", 'invalid_number'),
        count: count('How many.', 7),
      }),
    )
    .meta({ description: 'Why messages failed, the most frequent reasons first; 20 at most.' }),
  items: z
    .array(
      part('An hour or a day.', {
        start: dateTime('Its beginning.'),
        end: dateTime('Its end, where the next one begins.'),
        channels: z
          .array(part('What became of the messages of a channel.', { channel, ...figures }))
          .meta({ description: 'Each channel that has any; empty where nothing was sent.' }),
      }),
    )
    .meta({ description: 'Every hour or day of the window, oldest first.' }),
});

export const getMetrics = defineOperation({
  id: 'metrics.get',
  route: 'GET /v2/metrics',
  tag: 'Metrics',
  summary: 'Read what became of messages over time, by channel',
  description:
    'Counted within about 20 seconds of what happens to a message, in the hour in which it was sent, or ended without being sent; a receipt counts in the hour of its message, however late it comes. No message is read.',
  permission: 'messages:read',
  query: z.strictObject({
    from: dateTime(
      `The time at which the window begins. Absent: ${WINDOW_DAYS.hour.usual} day before its end for hours, ${WINDOW_DAYS.day.usual} days for days.`,
    ).optional(),
    to: dateTime(
      `The time at which the window ends, at most ${WINDOW_DAYS.hour.most} days after its beginning for hours and ${WINDOW_DAYS.day.most} for days. Absent: now.`,
    ).optional(),
    granularity: granularity.default('hour'),
    timeZone: z.string().min(1).max(64).default(DEFAULT_TIME_ZONE).meta({
      description: 'The IANA time zone of the days; they begin with an hour of UTC.',
      example: DEFAULT_TIME_ZONE,
    }),
    channel: channel.optional(),
  }),
  answer: Metrics,
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'read' },
});
