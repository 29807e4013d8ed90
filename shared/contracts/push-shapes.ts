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
import {
  boundedText,
  closedObject,
  coins,
  dateTime,
  environment,
  flag,
  openObject,
  optionalBoundedText,
  optionalText,
  part,
  text,
} from './common.ts';
import { pushPlatform } from './push-platform.ts';
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
  .meta({ description: 'The platforms to send to.', example: ['ios', 'android'] });
const action = closedObject('PushAction', 'A button of a notification.', {
  label: boundedText(PUSH_LIMITS.label, 'The label of the button.', 'Rastrear'),
  link: optionalBoundedText(
    PUSH_LIMITS.url,
    'The URL that it opens; absent if it opens the app.',
    'https://loja.example/pedidos/A-1842',
  ),
});
export const actions = z
  .array(action)
  .max(PUSH_LIMITS.actions)
  .meta({ description: `At most ${PUSH_LIMITS.actions} buttons.` });
export const imageUrl = httpsUrl.meta({
  description: 'The URL of the image, https.',
  example: 'https://cdn.loja.example/oferta.png',
});
export const silent = flag(
  'True: nothing is shown; the app receives it as data, at the price of a silent push.',
  false,
);
export const audience = {
  segment: optionalBoundedText(
    64,
    '`all_opt_in`, every opted-in device, or the id of a saved segment (`seg_…`) or of a static list (`lst_…`) of contacts. `all_opt_in` when neither segment nor tokenIds is given.',
    'all_opt_in',
  ),
  tokenIds: z
    .array(looseId('pushToken', z.string().min(1).max(64)))
    .min(1)
    .max(PUSH_LIMITS.tokenIds)
    .optional()
    .meta({ description: 'Devices by id, up to 10,000. Opted-out and unknown ones are skipped.' }),
};
interface AudienceSelection {
  readonly segment?: string | undefined;
  readonly tokenIds?: readonly string[] | undefined;
}
export const oneAudience = ({ segment, tokenIds }: AudienceSelection): boolean =>
  segment === undefined || tokenIds === undefined;
export const ONE_AUDIENCE = { path: ['tokenIds'], message: 'must not be given together with segment' };

/** The body of a send: docs/spec/push.md#sending-push. */
export const SendPush = z
  .strictObject({
    title: boundedText(PUSH_LIMITS.title, 'The title.', 'Seu pedido saiu'),
    body: boundedText(PUSH_LIMITS.body, 'The text.', 'Chega hoje até as 18 h.'),
    deepLink: optionalBoundedText(
      PUSH_LIMITS.url,
      'The URL that a tap opens, inside the app or outside.',
      'loja://pedidos/A-1842',
    ),
    imageUrl: imageUrl.optional(),
    actions: actions.optional(),
    silent: silent.optional(),
    platforms,
    ...audience,
    scheduledAt: dateTime('When to send it; now when absent or past. At most 90 days ahead.').optional(),
  })
  .refine(oneAudience, ONE_AUDIENCE)
  .refine(fitsPushLimit, { path: ['body'], message: PUSH_TOO_LARGE })
  .meta({ id: 'SendPush', description: 'A notification and its audience.' });

const deviceCounts = {
  delivered: count('Devices whose push service accepted it.'),
  opened: count('Devices that opened it: rises only when the app calls the opened operation.'),
  failures: count('Devices that no push service accepted it for; they are not charged.'),
};
const outcomes = openObject('PushOutcomes', "The results of a platform's devices.", deviceCounts);

const fields = {
  id: idSchema('message'),
  env: environment,
  status: z.enum(PUSH_STATUSES).meta({
    description:
      '`queued` until it is sent, `sending` while devices remain, `sent`, or `failed` when no push service accepted it.',
    example: 'queued',
  }),
  origin: z.enum(PUSH_ORIGINS).meta({ description: 'What created it.', example: 'api' }),
  title: text('The title.'),
  body: text('The text.'),
  deepLink: optionalText('The URL that a tap opens.'),
  imageUrl: optionalText('The image.'),
  actions: z.array(action).optional().meta({ description: 'The buttons.' }),
  silent: silent.optional(),
  platforms: z.array(pushPlatform).meta({ description: 'The platforms that it is sent to.' }),
  audience: part('Its audience.', {
    segment: optionalText('The segment that it is sent to.', 'all_opt_in'),
    tokens: count('How many listed devices are reached.').optional(),
  }),
  rateKind: z.enum(RATE_KINDS).meta({ description: 'The kind of its price per device.', example: 'simple' }),
  scheduledAt: dateTime('When it was scheduled to be sent.').optional(),
  quietDeferredTo: dateTime('The new send time if quiet hours deferred it.').optional(),
  billing: part('What it costs.', {
    coins: coins('The price of all devices, held until each is resolved.'),
    chargedCoins: coins('The price of the devices delivered so far.'),
  }),
  metrics: part('The results of its devices.', { reach: count('Devices queued.'), ...deviceCounts }),
  breakdown: part('The same by platform.', {
    ios: outcomes.optional(),
    android: outcomes.optional(),
    web: outcomes.optional(),
  }),
  createdAt: dateTime('When it was accepted.'),
  sentAt: dateTime('When its last device was resolved.').optional(),
};

export const PushMessage = openObject('PushMessage', 'A push message and the results of its devices.', fields);
export const SentPush = openObject('SentPush', 'The accepted push message.', { ...fields, replayed });
