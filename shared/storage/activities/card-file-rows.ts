import * as z from 'zod';
import type { CardFile, CardUpload } from '../../domain/activities/card-file.ts';
import { CARD_FILE_TYPES } from '../../domain/activities/file-types.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

const described = {
  organizationId: id('organization'),
  cardId: id('card'),
  name: z.string(),
  mimeType: z.enum(CARD_FILE_TYPES),
  size: z.int(),
  createdById: z.union([id('account'), id('apiKey')]),
  createdAt: time,
};

/** Time for a call that registers an upload just before its expiry to end, in ms. */
const LAST_CALL_MS = 60_000;

export const cardFileRows = defineRow<CardFile>()({
  attributes: { ...described, id: id('cardFile'), sha256: z.string() },
  rename: { organizationId: 'org' },
  key: ({ cardId, id: fileId }) => KEYS.cardFile(cardId, fileId),
});

/** Due until its row is deleted, so that anything uploaded to its address after registration is deleted, too. */
export const cardUploadRows = defineRow<CardUpload>()({
  attributes: {
    ...described,
    id: id('upload'),
    expiresAt: time,
    fileId: id('cardFile').optional(),
    isAbandoned: z.literal(true).optional(),
  },
  rename: { organizationId: 'org' },
  key: ({ id: uploadId }) => KEYS.cardUpload(uploadId),
  index: ({ id: uploadId, expiresAt, isAbandoned }) =>
    INDEX_KEYS.due('abandon_upload', uploadId, isAbandoned ? expiresAt : expiresAt + LAST_CALL_MS),
});
