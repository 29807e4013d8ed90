import * as z from 'zod';
import {
  NAME_STATUSES,
  NUMBER_STATUSES,
  QUALITY_RATINGS,
  REMOVAL_REASONS,
  TIERS,
} from '../domain/channels/whatsapp/numbers/number.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import {
  boundedText,
  closedObject,
  dateTime,
  flag,
  openObject,
  optionalText,
  paged,
  pageOf,
  pathId,
  text,
} from './common.ts';
import { defineOperation } from './define-operation.ts';

const platformId = z.string().regex(/^\d{1,32}$/, 'must be 1 to 32 digits');
const phoneNumberId = platformId.meta({
  description: "Meta's phone number id. Unique in a stage.",
  example: '106540352242922',
});
const wabaId = platformId.meta({
  description: "The number's business account (WABA) at Meta.",
  example: '102290129340398',
});
const accessToken = z
  .string()
  .regex(/^[\x21-\x7e]{1,2048}$/, 'must be 1 to 2,048 visible ASCII characters')
  .meta({
    description:
      'An access token of Meta with `whatsapp_business_management` and `whatsapp_business_messaging`. Stored sealed, never shown.',
    example: 'EAAJB4Zt8tokenOfTheNumber',
  });
const byo = flag("True when the number belongs to the customer's own business account.", true);

const status = z.enum(NUMBER_STATUSES).meta({ description: 'Its status.', example: 'connected' });
const qualityRating = z.enum(QUALITY_RATINGS).meta({ description: 'How its messages are received.', example: 'green' });

const rateLimit = openObject(
  'NumberRateLimit',
  'The rate limit: both an average and a burst. Messages beyond it are deferred, not refused; `force` bypasses it. Meta sets it by tier and throughput; the owner may set less.',
  {
    perSecond: z.int().min(1).meta({ description: 'Messages per second.', example: 80 }),
    perDay: z.int().min(1).meta({ description: 'Messages per 24 hours.', example: 2_000 }),
  },
);

const meta = openObject('NumberMeta', 'Further data of the number.', {
  verifiedName: optionalText('The name that recipients see.', 'Loja Azul'),
  byo: byo.optional(),
  nameStatus: z
    .enum(NAME_STATUSES)
    .optional()
    .meta({ description: 'Whether the name is approved; absent while unknown.', example: 'approved' }),
  partnerRemovedAt: dateTime(
    "When the customer removed the service from the number's account; null when it did not. The status does not change, but sends are expected to fail.",
  ).nullable(),
  partnerRemovedReason: z.enum(REMOVAL_REASONS).optional().meta({
    description: 'PARTNER_REMOVED: stopped sharing the account. PARTNER_APP_UNINSTALLED: uninstalled the app.',
  }),
});

const profileFields = {
  about: boundedText(139, 'The text under the name.', 'Moda azul desde 1998'),
  address: boundedText(256, 'The postal address.', 'Rua Azul, 10, São Paulo'),
  email: z.email().max(128).meta({ description: 'The e-mail address.', example: 'oi@loja.example' }),
  website: z
    .url({ protocol: /^https?$/ })
    .max(256)
    .meta({ description: 'The website.', example: 'https://loja.example' }),
  vertical: z
    .string()
    .regex(/^[A-Z_]{1,64}$/, 'must be a word of the platform, such as RETAIL')
    .meta({ description: "The industry, one of Meta's values.", example: 'RETAIL' }),
};
const NumberProfile = openObject('NumberProfile', 'The profile that recipients see, as Meta last reported it.', {
  about: optionalText('The text under the name.'),
  address: optionalText('The postal address.'),
  email: optionalText('The e-mail address.'),
  website: optionalText('The website.'),
  vertical: optionalText("The industry, one of Meta's values."),
  profilePictureUrl: optionalText("The picture's URL at Meta."),
});

const WhatsappNumber = openObject('WhatsappNumber', 'A WhatsApp number of the organization.', {
  id: idSchema('number'),
  organizationId: idSchema('organization', 'The organization that owns it.'),
  phoneNumberId,
  wabaId,
  displayPhone: text('The phone, E.164.', '+5511999990000'),
  status,
  qualityRating,
  messagingTier: z.enum(TIERS).meta({
    description: 'How many people it may start a conversation with in 24 hours.',
    example: 'tier_2k',
  }),
  rateLimit,
  meta,
  profile: NumberProfile.optional(),
  lastPlatformSyncAt: dateTime('When it was last read from Meta.').nullable(),
  createdAt: dateTime('When it was connected.'),
  updatedAt: dateTime('When it was last changed.'),
});

const params = z.object({ numberId: pathId('number', 'The id of the number.') });
const tag = 'WhatsApp numbers';
const reads = { permission: 'numbers:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'numbers:write', tag, uses: { table: 'write' } } as const;
/** Operations that call Meta, several times in sequence, with the number's own token. */
const callsMeta = {
  ...writes,
  uses: { table: 'write', rootKeys: ['numbers', 'providers'], queues: ['events'] },
  timeoutSeconds: 28,
  errors: ['VALIDATION_ERROR', 'DEPENDENCY_FAILED'],
} as const;

export const listNumbers = defineOperation({
  ...reads,
  id: 'numbers.list',
  route: 'GET /numbers',
  summary: 'List WhatsApp numbers, newest first',
  query: z.strictObject({
    status: status.optional(),
    qualityRating: qualityRating.optional(),
    ...paged(50, 200),
  }),
  answer: pageOf(WhatsappNumber, 'NumberPage', 'numbers', 'WhatsApp numbers'),
});

export const connectNumber = defineOperation({
  ...callsMeta,
  id: 'numbers.connect',
  route: 'POST /numbers',
  summary: 'Connect a WhatsApp number',
  description:
    "Checks with Meta, by the token, that the number belongs to the account, and subscribes to its webhooks. The account's templates at Meta are imported, at most 2,000, with their ids, components and statuses (`GET /v2/templates`); those in unsupported languages are skipped. A number that the stage already has is 409, with `meta.numberId` when it is your own. With a test key a sandbox replaces Meta, by the last four digits of `phoneNumberId`: 0001 yellow, 0002 red and flagged, 0003 pending, 0250 a tier of 250 a day, 0404 unknown to Meta; any other is connected and green. The token `invalid` is refused.",
  body: closedObject('ConnectNumber', 'A number, and the access to it at Meta.', {
    phoneNumberId,
    wabaId,
    accessToken,
    meta: z.strictObject({ byo: byo.optional() }).optional().meta({ description: "The owner's own notes." }),
  }),
  responses: { 201: WhatsappNumber },
  errors: ['CONFLICT', ...callsMeta.errors],
});

export const getNumber = defineOperation({
  ...reads,
  id: 'numbers.get',
  route: 'GET /numbers/{numberId}',
  summary: 'Read a WhatsApp number',
  params,
  answer: WhatsappNumber,
});

const ownLimit = (maximum: number, example: number) =>
  z.int().min(1).max(maximum).nullable().optional().meta({ example });
export const changeNumber = defineOperation({
  ...callsMeta,
  id: 'numbers.change',
  route: 'PATCH /numbers/{numberId}',
  summary: 'Change a WhatsApp number',
  description:
    "JSON Merge Patch: absent fields stay. A new token is first checked with Meta. A rate above Meta's limit for the number is 422; null resets it to Meta's limit, and if Meta later lowers the limit, the lower one applies.",
  params,
  body: closedObject('ChangeNumber', 'A change to a number.', {
    accessToken: accessToken.optional(),
    meta: z.strictObject({ byo: byo.nullable().optional() }).optional().meta({ description: "The owner's own notes." }),
    rateLimit: z
      .strictObject({
        perSecond: ownLimit(1_000, 20).describe('Messages per second.'),
        perDay: ownLimit(100_000_000, 1_000).describe('Messages per 24 hours.'),
      })
      .optional()
      .meta({ description: "The owner's rate limit." }),
  }),
  answer: WhatsappNumber,
});

export const disconnectNumber = defineOperation({
  ...writes,
  id: 'numbers.disconnect',
  route: 'DELETE /numbers/{numberId}',
  summary: 'Disconnect a WhatsApp number',
  description:
    'Its token is deleted, and its phoneNumberId can be connected again. Its messages stay; its templates and flows stay too, but can no longer be submitted or published.',
  params,
  responses: { 204: null },
});

export const getNumberProfile = defineOperation({
  ...reads,
  id: 'numbers.get-profile',
  route: 'GET /numbers/{numberId}/profile',
  summary: "Read a number's profile",
  description: 'As Meta last reported it; `POST /numbers/{numberId}/sync` refreshes it.',
  params,
  answer: NumberProfile,
});

export const changeNumberProfile = defineOperation({
  ...callsMeta,
  id: 'numbers.change-profile',
  route: 'PATCH /numbers/{numberId}/profile',
  summary: "Change a number's profile",
  description: 'Changes the profile at Meta, then here. JSON Merge Patch: absent fields stay, null clears.',
  params,
  body: closedObject('ChangeNumberProfile', 'A change to a profile.', {
    about: profileFields.about.optional(),
    address: profileFields.address.nullable().optional(),
    email: profileFields.email.nullable().optional(),
    website: profileFields.website.nullable().optional(),
    vertical: profileFields.vertical.optional(),
  }),
  answer: NumberProfile,
});

export const syncNumber = defineOperation({
  ...callsMeta,
  id: 'numbers.sync',
  route: 'POST /numbers/{numberId}/sync',
  summary: 'Refresh a number from Meta',
  description:
    "Its current status, quality, tier and profile. A changed quality raises `number.quality_changed`. The account's templates are imported too, as when the number was connected; a review that ended meanwhile raises its event.",
  params,
  answer: WhatsappNumber,
});
