import * as z from 'zod';
import { tierOf } from '../../domain/numbers/limits.ts';
import type { NameStatus, NumberProfile, NumberStatus, QualityRating } from '../../domain/numbers/number.ts';
import type { NumberPlatform, PlatformNumber } from '../../domain/numbers/platform.ts';
import type { GraphClient } from './graph.ts';
import { findInList, managed, segment, success } from './management-answers.ts';

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
/** business-phone-numbers; the messaging limit as messaging-limits has it. */
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

/** The platform's words for a number's state; a word of none of these keeps it from sending until it is known. */
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
const wordIn = <T>(table: Readonly<Record<string, T>>, word: string | undefined): T | undefined =>
  word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;

const numberOf = (found: z.infer<typeof phoneNumber>): PlatformNumber => ({
  displayPhone: `+${found.display_phone_number.replaceAll(/\D/g, '')}`,
  status: wordIn(STATUSES, found.status) ?? 'available',
  qualityRating: wordIn(QUALITIES, found.quality_rating) ?? 'unknown',
  messagingTier: tierOf(found.whatsapp_business_manager_messaging_limit ?? '') ?? 'tier_250',
  throughput: found.throughput?.level === 'HIGH' ? 'high' : 'standard',
  verifiedName: found.verified_name,
  nameStatus: wordIn(NAMES, found.name_status),
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
/** An empty text of the platform's is a field that is not set. */
const profileOf = ({ data: [found] }: z.infer<typeof profile>): NumberProfile => ({
  about: found.about || undefined,
  address: found.address || undefined,
  email: found.email || undefined,
  website: found.websites?.[0],
  vertical: found.vertical === 'UNDEFINED' ? undefined : found.vertical || undefined,
  profilePictureUrl: found.profile_picture_url || undefined,
});

type NumberCalls = Pick<NumberPlatform, 'readNumber' | 'subscribe' | 'readProfile' | 'writeProfile'>;

/** Numbers and their profiles. */
export const numberCalls = (graph: GraphClient): NumberCalls => ({
  // Read through the account: a number of another account is none that its reports would be about.
  readNumber: async ({ phoneNumberId, wabaId }) => {
    const query = { fields: FIELDS, limit: 50 };
    const path = `${segment(wabaId)}/phone_numbers`;
    const answer = await findInList(graph, path, phoneNumber, query, ({ id }) => id === phoneNumberId);
    if (answer.kind !== 'done') return answer;
    return answer.value
      ? { kind: 'done', value: numberOf(answer.value) }
      : { kind: 'refused', cause: 'absent', detail: 'meta: the account has no such number' };
  },
  subscribe: async (wabaId) =>
    managed(await graph.request('POST', `${segment(wabaId)}/subscribed_apps`, success), () => undefined),
  readProfile: async ({ phoneNumberId }) => {
    const query = { fields: 'about,address,email,profile_picture_url,websites,vertical' };
    const path = `${segment(phoneNumberId)}/whatsapp_business_profile`;
    return managed(await graph.request('GET', path, profile, { query }), profileOf);
  },
  writeProfile: async (phoneNumberId, { website, ...fields }) => {
    const websites = website === undefined ? {} : { websites: website === '' ? [] : [website] };
    const json = { messaging_product: 'whatsapp', ...fields, ...websites };
    const path = `${segment(phoneNumberId)}/whatsapp_business_profile`;
    return managed(await graph.request('POST', path, success, { json }), () => undefined);
  },
});
