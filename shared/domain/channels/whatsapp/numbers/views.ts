import { definedFields } from '../../../core/patch.ts';
import { isoTime } from '../../../core/time.ts';
import { rateLimitOf } from './limits.ts';
import type { NumberProfile, WhatsappNumber } from './number.ts';

/** A number's business profile as the API returns it. */
export const profileView = (profile: NumberProfile = {}) => {
  const { about, address, email, website, vertical, profilePictureUrl } = profile;
  return definedFields({ about, address, email, website, vertical, profilePictureUrl });
};

const metaView = (number: WhatsappNumber) => ({
  ...definedFields({ verifiedName: number.verifiedName, byo: number.byo, nameStatus: number.nameStatus }),
  ...(number.partnerRemovedAt === undefined
    ? { partnerRemovedAt: null }
    : {
        partnerRemovedAt: isoTime(number.partnerRemovedAt),
        ...definedFields({ partnerRemovedReason: number.partnerRemovedReason }),
      }),
});

/** A number as its own organization sees it: the phone unmasked, never the access token (docs/spec/whatsapp-numbers.md#number-shape). */
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
