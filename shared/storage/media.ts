import * as z from 'zod';
import type { Media, MediaStore, PendingUpload } from '../domain/media/ports.ts';
import { MEDIA_KINDS, MEDIA_TYPES, type MimeType } from '../domain/media/types.ts';
import { isoTime } from '../domain/time.ts';
import type { DueHint } from '../queues/queues.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Row, Table } from './table.ts';

const time = z.iso.datetime().transform((text) => Date.parse(text));
const mimeType = z.enum(Object.keys(MEDIA_TYPES) as [MimeType, ...MimeType[]]);

const mediaRow = z.object({
  mediaId: z.string(),
  org: z.string(),
  numberId: z.string(),
  kind: z.enum(MEDIA_KINDS),
  mimeType,
  filename: z.string(),
  size: z.int(),
  sha256: z.string(),
  voice: z.literal(true).exactOptional(),
  storedAt: time,
  expiresAt: time,
});
const uploadRow = z.object({
  id: z.string(),
  org: z.string(),
  numberId: z.string(),
  filename: z.string(),
  mimeType,
  size: z.int(),
  objectKey: z.string(),
  createdAt: time,
  expiresAt: time,
  mediaId: z.string().exactOptional(),
});

const parseMedia = (row: Row): Media => {
  const { org, ...media } = mediaRow.parse(row);
  return { ...media, organizationId: org };
};
const parseUpload = (row: Row): PendingUpload => {
  const { org, ...upload } = uploadRow.parse(row);
  return { ...upload, organizationId: org };
};

const seconds = (ms: number): number => Math.ceil(ms / 1000);
/** A completed upload answers repeats for this long, in ms. */
const REPEATS_MS = 24 * 3_600_000;
/** A call that completes an upload in its last moment has ended by then, in ms. */
const LAST_CALL_MS = 60_000;

const mediaWrite = ({ organizationId: org, storedAt, expiresAt, ...media }: Media): WriteOp => ({
  put: {
    ...KEYS.media(org, media.mediaId),
    ...media,
    org,
    storedAt: isoTime(storedAt),
    expiresAt: isoTime(expiresAt),
    ttl: seconds(expiresAt),
  },
});

const uploadWrite = ({ organizationId: org, createdAt, expiresAt, ...upload }: PendingUpload): WriteOp => ({
  put: {
    ...KEYS.upload(upload.id),
    ...FINDS.due('abandon_upload', upload.id, expiresAt + LAST_CALL_MS),
    ...upload,
    org,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  },
});

/** The upload that a hint about abandoned ones names. */
export const uploadIdOf = ({ pk }: DueHint): string => pk.slice(pk.indexOf('#') + 1);

/** Media and uploads in the table of one stage. */
export const mediaStore = (table: Table): MediaStore => ({
  async keep(media) {
    await table.write(mediaWrite(media));
  },

  async find(organizationId, mediaId, now) {
    const row = await table.get(KEYS.media(organizationId, mediaId));
    const media = row && parseMedia(row);
    return media && media.expiresAt > now ? media : undefined;
  },

  async begin(upload) {
    await table.write(uploadWrite(upload));
  },

  async readUpload(id) {
    const row = await table.get(KEYS.upload(id));
    return row && parseUpload(row);
  },

  async complete({ id, expiresAt }, media) {
    const outcome = await table.transact([
      mediaWrite(media),
      {
        update: KEYS.upload(id),
        set: { mediaId: media.mediaId, ttl: seconds(expiresAt + REPEATS_MS) },
        remove: ['duePk', 'dueAt'],
        when: { text: 'attribute_exists(#pk) AND attribute_not_exists(#mediaId)' },
      },
    ]);
    return outcome.ok || outcome.reasons[1]?.row?.mediaId === media.mediaId;
  },

  async abandon(id) {
    const { ok } = await table.write({
      delete: KEYS.upload(id),
      when: { text: 'attribute_not_exists(#mediaId)' },
    });
    return ok;
  },
});
