import { isoTime } from '../time.ts';
import { rateLimitOf } from './limits.ts';
import type { NumberProfile, WhatsappNumber } from './number.ts';

const given = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** What the recipients see of a number, as the platform said it last. */
export const profileView = (profile: NumberProfile = {}) => {
  const { about, address, email, website, vertical, profilePictureUrl } = profile;
  return given({ about, address, email, website, vertical, profilePictureUrl });
};

const metaView = (number: WhatsappNumber) => ({
  ...given({ verifiedName: number.verifiedName, byo: number.byo, nameStatus: number.nameStatus }),
  ...(number.partnerRemovedAt === undefined
    ? { partnerRemovedAt: null }
    : {
        partnerRemovedAt: isoTime(number.partnerRemovedAt),
        ...given({ partnerRemovedReason: number.partnerRemovedReason }),
      }),
});

/** interface 2.14, as the number's own organization sees it: nothing of the access token, and the phone unmasked. */
export const numberView = (number: WhatsappNumber) => ({
  id: number.id,
  organizationId: number.organizationId,
  phoneNumberId: number.phoneNumberId,
  wabaId: number.wabaId,
  displayPhone: number.displayPhone,
  status: number.status,
  qualityRating: number.qualityRating,
  messagingTier: number.messagingTier,
  rateLimit: rateLimitOf(number),
  meta: metaView(number),
  ...(number.profile ? { profile: profileView(number.profile) } : {}),
  lastPlatformSyncAt: number.lastPlatformSyncAt === undefined ? null : isoTime(number.lastPlatformSyncAt),
  createdAt: isoTime(number.createdAt),
  updatedAt: isoTime(number.updatedAt),
});
