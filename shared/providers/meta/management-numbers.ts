import * as z from 'zod';
import { tierOf } from '../../domain/channels/whatsapp/numbers/limits.ts';
import type { MetaApi, MetaNumber } from '../../domain/channels/whatsapp/numbers/meta-port.ts';
import type {
  NameStatus,
  NumberProfile,
  NumberStatus,
  QualityRating,
} from '../../domain/channels/whatsapp/numbers/number.ts';
import type { GraphClient } from './graph.ts';
import { findInList, managementAnswer, pathSegment, success } from './management-answers.ts';

const FIELDS = [
  'id',
  'display_phone_number',
  'verified_name',
  'status',
  'quality_rating',
  'name_status',
  'whatsapp_business_manager_messaging_limit',
  'throughput',
].join(',');
/** business-phone-numbers, with the messaging limit of messaging-limits. */
const phoneNumber = z.object({
  id: z.string(),
  display_phone_number: z.string(),
  verified_name: z.string().optional(),
  status: z.string().optional(),
  quality_rating: z.string().optional(),
  name_status: z.string().optional(),
  whatsapp_business_manager_messaging_limit: z.string().optional(),
  throughput: z.object({ level: z.string() }).optional().catch(undefined),
});

/** Number statuses by Meta's. An unknown one becomes `available`, which cannot send until Meta reports a known one. */
const STATUSES: Readonly<Record<string, NumberStatus>> = {
  CONNECTED: 'connected',
  PENDING: 'pending',
  UNVERIFIED: 'pending',
  FLAGGED: 'flagged',
  RATE_LIMITED: 'flagged',
  RESTRICTED: 'flagged',
  BANNED: 'disconnected',
  DELETED: 'disconnected',
  DISCONNECTED: 'disconnected',
  MIGRATED: 'disconnected',
};
const QUALITIES: Readonly<Record<string, QualityRating>> = { GREEN: 'green', YELLOW: 'yellow', RED: 'red' };
const NAMES: Readonly<Record<string, NameStatus>> = {
  APPROVED: 'approved',
  AVAILABLE_WITHOUT_REVIEW: 'approved',
  DECLINED: 'rejected',
  EXPIRED: 'expired',
  PENDING_REVIEW: 'pending',
  NONE: 'none',
};
const lookUp = <T>(table: Readonly<Record<string, T>>, word: string | undefined): T | undefined =>
  word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;

const numberOf = (found: z.infer<typeof phoneNumber>): MetaNumber => ({
  displayPhone: `+${found.display_phone_number.replaceAll(/\D/g, '')}`,
  status: lookUp(STATUSES, found.status) ?? 'available',
  qualityRating: lookUp(QUALITIES, found.quality_rating) ?? 'unknown',
  messagingTier: tierOf(found.whatsapp_business_manager_messaging_limit ?? '') ?? 'tier_250',
  throughput: found.throughput?.level === 'HIGH' ? 'high' : 'standard',
  verifiedName: found.verified_name,
  nameStatus: lookUp(NAMES, found.name_status),
});

/** business-profiles. */
const profile = z.object({
  data: z.tuple([
    z.object({
      about: z.string().optional(),
      address: z.string().optional(),
      email: z.string().optional(),
      vertical: z.string().optional(),
      websites: z.array(z.string()).optional(),
      profile_picture_url: z.string().optional(),
    }),
  ]),
});
/** Meta returns an empty string for an unset field. */
const profileOf = ({ data: [found] }: z.infer<typeof profile>): NumberProfile => ({
  about: found.about || undefined,
  address: found.address || undefined,
  email: found.email || undefined,
  website: found.websites?.[0],
  vertical: found.vertical === 'UNDEFINED' ? undefined : found.vertical || undefined,
  profilePictureUrl: found.profile_picture_url || undefined,
});

type NumberCalls = Pick<MetaApi, 'readNumber' | 'subscribe' | 'readProfile' | 'writeProfile'>;

export const numberCalls = (graph: GraphClient): NumberCalls => ({
  // Read through the account, so that a number of another account is not found: its webhooks would not reach us.
  readNumber: async ({ phoneNumberId, wabaId }) => {
    const query = { fields: FIELDS, limit: 50 };
    const path = `${pathSegment(wabaId)}/phone_numbers`;
    const answer = await findInList(graph, path, phoneNumber, query, ({ id }) => id === phoneNumberId);
    if (answer.kind !== 'done') return answer;
    return answer.value
      ? { kind: 'done', value: numberOf(answer.value) }
      : { kind: 'refused', cause: 'absent', detail: 'meta: the account has no such number' };
  },
  subscribe: async (wabaId) =>
    managementAnswer(await graph.request('POST', `${pathSegment(wabaId)}/subscribed_apps`, success), () => undefined),
  readProfile: async ({ phoneNumberId }) => {
    const query = { fields: 'about,address,email,profile_picture_url,websites,vertical' };
    const path = `${pathSegment(phoneNumberId)}/whatsapp_business_profile`;
    return managementAnswer(await graph.request('GET', path, profile, { query }), profileOf);
  },
  writeProfile: async (phoneNumberId, { website, ...fields }) => {
    const websites = website === undefined ? {} : { websites: website === '' ? [] : [website] };
    const json = { messaging_product: 'whatsapp', ...fields, ...websites };
    const path = `${pathSegment(phoneNumberId)}/whatsapp_business_profile`;
    return managementAnswer(await graph.request('POST', path, success, { json }), () => undefined);
  },
});
