import * as z from 'zod';
import {
  NAME_STATUSES,
  NUMBER_STATUSES,
  QUALITY_RATINGS,
  REMOVAL_REASONS,
  TIERS,
} from '../domain/channels/whatsapp/numbers/number.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { dateTime, limit, pageOf, pathId, skip } from './common.ts';
import { defineOperation } from './define-operation.ts';

const platformId = z.string().regex(/^\d{1,32}$/, 'must be 1 to 32 digits');
const phoneNumberId = platformId.meta({
  description: 'What the platform calls the number. A stage has it once.',
  example: '106540352242922',
});
const wabaId = platformId.meta({
  description: 'The business account of the number on the platform.',
  example: '102290129340398',
});
const accessToken = z
  .string()
  .regex(/^[\x21-\x7e]{1,2048}$/, 'must be 1 to 2,048 visible ASCII characters')
  .meta({
    description:
      'An access token of the platform with `whatsapp_business_management` and `whatsapp_business_messaging`. Kept sealed, never shown.',
    example: 'EAAJB4Zt8tokenOfTheNumber',
  });
const byo = z
  .boolean()
  .meta({ description: "True when the number runs under the customer's own business account.", example: true });

const status = z.enum(NUMBER_STATUSES).meta({ description: 'Its state on the platform.', example: 'connected' });
const qualityRating = z.enum(QUALITY_RATINGS).meta({ description: 'How its messages are received.', example: 'green' });

const rateLimit = z
  .object({
    perSecond: z.int().min(1).meta({ description: 'Messages a second.', example: 80 }),
    perDay: z.int().min(1).meta({ description: 'Messages in 24 hours.', example: 2_000 }),
  })
  .meta({
    id: 'NumberRateLimit',
    description:
      'What leaves at most: on average, and at once. What exceeds it is deferred, not refused; `force` bypasses it. The platform allows by tier and throughput; the owner may set less.',
  });

const meta = z
  .object({
    verifiedName: z.string().optional().meta({ description: 'The name that recipients see.', example: 'Loja Azul' }),
    byo: byo.optional(),
    nameStatus: z
      .enum(NAME_STATUSES)
      .optional()
      .meta({ description: 'Whether the name is approved; absent while unknown.', example: 'approved' }),
    partnerRemovedAt: dateTime(
      "When the customer removed the service from the number's account; null where it did not. Only a mark: status stays, sends are expected to fail.",
    ).nullable(),
    partnerRemovedReason: z.enum(REMOVAL_REASONS).optional().meta({
      description: 'PARTNER_REMOVED: stopped sharing the account. PARTNER_APP_UNINSTALLED: uninstalled the app.',
    }),
  })
  .meta({ id: 'NumberMeta', description: 'What else is known of a number.' });

const text = (maxLength: number) => z.string().min(1).max(maxLength);
const profileFields = {
  about: text(139).meta({ description: 'The line under the name.', example: 'Moda azul desde 1998' }),
  address: text(256).meta({ description: 'The postal address.', example: 'Rua Azul, 10, São Paulo' }),
  email: z.email().max(128).meta({ description: 'The e-mail address.', example: 'oi@loja.example' }),
  website: z
    .url({ protocol: /^https?$/ })
    .max(256)
    .meta({ description: 'The website.', example: 'https://loja.example' }),
  vertical: z
    .string()
    .regex(/^[A-Z_]{1,64}$/, 'must be a word of the platform, such as RETAIL')
    .meta({ description: "The line of business, in the platform's words.", example: 'RETAIL' }),
};
const anyText = (description: string) => z.string().optional().meta({ description });
const NumberProfile = z
  .object({
    about: anyText('The line under the name.'),
    address: anyText('The postal address.'),
    email: anyText('The e-mail address.'),
    website: anyText('The website.'),
    vertical: anyText("The line of business, in the platform's words."),
    profilePictureUrl: anyText('The picture, as the platform serves it.'),
  })
  .meta({ id: 'NumberProfile', description: 'What recipients see of a number, as the platform said it last.' });

const WhatsappNumber = z
  .object({
    id: idSchema('number'),
    organizationId: idSchema('organization', 'The organization that it belongs to.'),
    phoneNumberId,
    wabaId,
    displayPhone: z.string().meta({ description: 'The phone, E.164.', example: '+5511999990000' }),
    status,
    qualityRating,
    messagingTier: z.enum(TIERS).meta({
      description: 'How many people it may begin a conversation with in 24 hours.',
      example: 'tier_2k',
    }),
    rateLimit,
    meta,
    profile: NumberProfile.optional(),
    lastPlatformSyncAt: dateTime('When it was last read from the platform.').nullable(),
    createdAt: dateTime('When it was connected.'),
    updatedAt: dateTime('When it was last changed.'),
  })
  .meta({ id: 'WhatsappNumber', description: 'A WhatsApp number of the organization.' });

const params = z.object({ numberId: pathId('number', 'The id of the number.') });
const tag = 'WhatsApp numbers';
const reads = { permission: 'numbers:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'numbers:write', tag, uses: { table: 'write' } } as const;
/** Operations that call Meta, several times in sequence, with the number's own token. */
const callsMeta = {
  ...writes,
  uses: { table: 'write', vault: true, queues: ['events'] },
  timeoutSeconds: 28,
} as const;
const META_ERRORS = ['VALIDATION_ERROR', 'DEPENDENCY_FAILED'] as const;

export const listNumbers = defineOperation({
  ...reads,
  id: 'numbers.list',
  method: 'GET',
  path: '/numbers',
  summary: 'List WhatsApp numbers, newest first',
  request: {
    query: z.strictObject({
      status: status.optional(),
      qualityRating: qualityRating.optional(),
      limit: limit(50, 200),
      skip,
    }),
  },
  responses: {
    200: pageOf(WhatsappNumber, 'numbers').meta({ id: 'NumberPage', description: 'A page of WhatsApp numbers.' }),
  },
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
});

export const connectNumber = defineOperation({
  ...callsMeta,
  id: 'numbers.connect',
  method: 'POST',
  path: '/numbers',
  summary: 'Connect a WhatsApp number',
  description:
    'The platform is asked with the token whether the number is one of the account, and its reports are subscribed to. The templates that the account has there are kept, at most 2,000, with their ids, components and states (`GET /v2/templates`); those in other languages than ours are left out. A number that the stage has already is 409, with `meta.numberId` when it is your own. With a test key a sandbox plays the platform, by the last four digits of `phoneNumberId`: 0001 yellow, 0002 red and flagged, 0003 pending, 0250 a tier of 250 a day, 0404 unknown to the platform; any other is connected and green. The token `invalid` is refused.',
  request: {
    body: z
      .strictObject({
        phoneNumberId,
        wabaId,
        accessToken,
        meta: z.strictObject({ byo: byo.optional() }).optional().meta({ description: 'What its owner says of it.' }),
      })
      .meta({ id: 'ConnectNumber', description: 'A number, and how the platform is reached for it.' }),
  },
  responses: { 201: WhatsappNumber },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', ...META_ERRORS],
});

export const getNumber = defineOperation({
  ...reads,
  id: 'numbers.get',
  method: 'GET',
  path: '/numbers/{numberId}',
  summary: 'Read a WhatsApp number',
  request: { params },
  responses: { 200: WhatsappNumber },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
});

const ownLimit = (maximum: number, example: number) =>
  z.int().min(1).max(maximum).nullable().optional().meta({ example });
export const changeNumber = defineOperation({
  ...callsMeta,
  id: 'numbers.change',
  method: 'PATCH',
  path: '/numbers/{numberId}',
  summary: 'Change a WhatsApp number',
  description:
    'JSON Merge Patch: what is absent stays. A new token is first shown to the platform. A rate above what the platform allows the number is 422; null gives it back to the platform’s own, and where the platform later allows less, less it is.',
  request: {
    params,
    body: z
      .strictObject({
        accessToken: accessToken.optional(),
        meta: z
          .strictObject({ byo: byo.nullable().optional() })
          .optional()
          .meta({ description: 'What its owner says of it.' }),
        rateLimit: z
          .strictObject({
            perSecond: ownLimit(1_000, 20).describe('Messages a second.'),
            perDay: ownLimit(100_000_000, 1_000).describe('Messages in 24 hours.'),
          })
          .optional()
          .meta({ description: 'What leaves at most.' }),
      })
      .meta({ id: 'ChangeNumber', description: 'What changes of a number.' }),
  },
  responses: { 200: WhatsappNumber },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', ...META_ERRORS],
});

export const disconnectNumber = defineOperation({
  ...writes,
  id: 'numbers.disconnect',
  method: 'DELETE',
  path: '/numbers/{numberId}',
  summary: 'Disconnect a WhatsApp number',
  description:
    'Its token is destroyed, and its phoneNumberId may be connected again. Its messages stay; its templates and flows stay, and can no longer be submitted or published.',
  request: { params },
  responses: { 204: null },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
});

export const getNumberProfile = defineOperation({
  ...reads,
  id: 'numbers.get-profile',
  method: 'GET',
  path: '/numbers/{numberId}/profile',
  summary: "Read a number's profile",
  description: 'As the platform said it last; `POST /numbers/{numberId}/sync` reads it anew.',
  request: { params },
  responses: { 200: NumberProfile },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
});

export const changeNumberProfile = defineOperation({
  ...callsMeta,
  id: 'numbers.change-profile',
  method: 'PATCH',
  path: '/numbers/{numberId}/profile',
  summary: "Change a number's profile",
  description: 'On the platform, then here. JSON Merge Patch: what is absent stays, null clears.',
  request: {
    params,
    body: z
      .strictObject({
        about: profileFields.about.optional(),
        address: profileFields.address.nullable().optional(),
        email: profileFields.email.nullable().optional(),
        website: profileFields.website.nullable().optional(),
        vertical: profileFields.vertical.optional(),
      })
      .meta({ id: 'ChangeNumberProfile', description: 'What changes of a profile.' }),
  },
  responses: { 200: NumberProfile },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', ...META_ERRORS],
});

export const syncNumber = defineOperation({
  ...callsMeta,
  id: 'numbers.sync',
  method: 'POST',
  path: '/numbers/{numberId}/sync',
  summary: 'Read a number from the platform',
  description:
    'State, quality, tier and profile, as they stand there now. A quality that moved raises `number.quality_changed`. The templates of its account are kept as well, as when it was connected; a verdict that was reached meanwhile raises its event.',
  request: { params },
  responses: { 200: WhatsappNumber },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', ...META_ERRORS],
});
