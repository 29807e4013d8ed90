import * as z from 'zod';
import {
  fitsPushLimit,
  PUSH_LIMITS,
  PUSH_ORIGINS,
  PUSH_STATUSES,
  PUSH_TOO_LARGE,
  RATE_KINDS,
} from '../domain/channels/push/message.ts';
import { PUSH_PLATFORMS } from '../domain/channels/push/transport.ts';
import { idSchema, looseId } from '../domain/core/id-schema.ts';
import { coins, dateTime, environment } from './common.ts';
import { pushPlatform } from './push-devices.ts';
import { replayed } from './sends.ts';

export const count = (description: string) => z.int().min(0).meta({ description, example: 2 });
const httpsUrl = z
  .string()
  .max(PUSH_LIMITS.url)
  .regex(/^https:\/\/[^\s/]+\S*$/, 'must be an https address');
export const platforms = z
  .array(pushPlatform)
  .min(1)
  .max(PUSH_PLATFORMS.length)
  .refine((all) => new Set(all).size === all.length, 'must not repeat a platform')
  .meta({ description: 'The platforms that it goes to.', example: ['ios', 'android'] });
const action = z
  .strictObject({
    label: z
      .string()
      .min(1)
      .max(PUSH_LIMITS.label)
      .meta({ description: 'What the button shows.', example: 'Rastrear' }),
    link: z.string().min(1).max(PUSH_LIMITS.url).optional().meta({
      description: 'Where it leads; absent where it opens the app.',
      example: 'https://loja.example/pedidos/A-1842',
    }),
  })
  .meta({ id: 'PushAction', description: 'A button of a notification.' });
export const actions = z
  .array(action)
  .max(PUSH_LIMITS.actions)
  .meta({ description: `At most ${PUSH_LIMITS.actions} buttons.` });
export const imageUrl = httpsUrl.meta({
  description: 'The image that it shows: an https address.',
  example: 'https://cdn.loja.example/oferta.png',
});
export const silent = z.boolean().meta({
  description: 'True shows nothing: the app receives it as data, at the price of a silent push.',
  example: false,
});
export const audience = {
  segment: z.string().min(1).max(64).optional().meta({
    description:
      '`all_opt_in`, every opted-in device, or the id of a saved segment of contacts (`seg_…`). `all_opt_in` when neither segment nor tokenIds is given.',
    example: 'all_opt_in',
  }),
  tokenIds: z
    .array(looseId('pushToken', z.string().min(1).max(64)))
    .min(1)
    .max(PUSH_LIMITS.tokenIds)
    .optional()
    .meta({ description: 'Devices by their ids, up to 10,000. Those that are opted out or unknown are left out.' }),
};
interface AudienceSelection {
  readonly segment?: string | undefined;
  readonly tokenIds?: readonly string[] | undefined;
}
export const oneAudience = ({ segment, tokenIds }: AudienceSelection): boolean =>
  segment === undefined || tokenIds === undefined;
export const ONE_AUDIENCE = { path: ['tokenIds'], message: 'must not be given beside segment' };

/** The body of a send: docs/spec/push.md#sending-push. */
export const SendPush = z
  .strictObject({
    title: z.string().min(1).max(PUSH_LIMITS.title).meta({ description: 'The title.', example: 'Seu pedido saiu' }),
    body: z
      .string()
      .min(1)
      .max(PUSH_LIMITS.body)
      .meta({ description: 'The text.', example: 'Chega hoje até as 18 h.' }),
    deepLink: z
      .string()
      .min(1)
      .max(PUSH_LIMITS.url)
      .optional()
      .meta({ description: 'Where a tap leads, inside the app or outside.', example: 'loja://pedidos/A-1842' }),
    imageUrl: imageUrl.optional(),
    actions: actions.optional(),
    silent: silent.optional(),
    platforms,
    ...audience,
    scheduledAt: dateTime('When it leaves; now when absent or past. At most 90 days ahead.').optional(),
  })
  .refine(oneAudience, ONE_AUDIENCE)
  .refine(fitsPushLimit, { path: ['body'], message: PUSH_TOO_LARGE })
  .meta({ id: 'SendPush', description: 'A notification and the devices that it goes to.' });

const deviceCounts = {
  delivered: count('Devices whose push service accepted it.'),
  opened: count('Devices that opened it: rises only when the app calls the opened operation.'),
  failures: count('Devices that it could not be handed to; they are not charged.'),
};
const outcomes = z
  .object(deviceCounts)
  .meta({ id: 'PushOutcomes', description: 'What became of the devices of a platform.' });

const fields = {
  id: idSchema('message'),
  env: environment,
  status: z.enum(PUSH_STATUSES).meta({
    description: '`queued` until it leaves, `sending` while devices wait, `sent`, or `failed` when no device took it.',
    example: 'queued',
  }),
  origin: z.enum(PUSH_ORIGINS).meta({ description: 'Who made it.', example: 'api' }),
  title: z.string().meta({ description: 'The title.' }),
  body: z.string().meta({ description: 'The text.' }),
  deepLink: z.string().optional().meta({ description: 'Where a tap leads.' }),
  imageUrl: z.string().optional().meta({ description: 'The image.' }),
  actions: z.array(action).optional().meta({ description: 'The buttons.' }),
  silent: silent.optional(),
  platforms: z.array(pushPlatform).meta({ description: 'The platforms that it goes to.' }),
  audience: z
    .object({
      segment: z.string().optional().meta({ description: 'The segment that it went to.', example: 'all_opt_in' }),
      tokens: count('How many devices were named and reached.').optional(),
    })
    .meta({ description: 'Whom it was made for.' }),
  rateKind: z.enum(RATE_KINDS).meta({ description: 'Which price each device has.', example: 'simple' }),
  scheduledAt: dateTime('When it was asked to leave.').optional(),
  quietDeferredTo: dateTime('When it leaves after all, where quiet hours moved it.').optional(),
  billing: z
    .object({
      coins: coins('The price of all devices, held until each is resolved.'),
      chargedCoins: coins('What the devices that took it cost so far.'),
    })
    .meta({ description: 'What it costs.' }),
  metrics: z
    .object({ reach: count('Devices queued.'), ...deviceCounts })
    .meta({ description: 'Where its devices stand.' }),
  breakdown: z
    .object({ ios: outcomes.optional(), android: outcomes.optional(), web: outcomes.optional() })
    .meta({ description: 'The same by platform, of those that it went to.' }),
  createdAt: dateTime('When it was accepted.'),
  sentAt: dateTime('When its last device was resolved.').optional(),
};

export const PushMessage = z
  .object(fields)
  .meta({ id: 'PushMessage', description: 'A push message and where its devices stand.' });
export const SentPush = z
  .object({ ...fields, replayed })
  .meta({ id: 'SentPush', description: 'The accepted push message.' });
