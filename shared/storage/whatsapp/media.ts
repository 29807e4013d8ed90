import * as z from 'zod';
import type { Media, MediaStore, PendingUpload } from '../../domain/channels/whatsapp/media/ports.ts';
import { MEDIA_KINDS, MEDIA_TYPES, type MimeType } from '../../domain/channels/whatsapp/media/types.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';

const mimeType = z.enum(Object.keys(MEDIA_TYPES) as [MimeType, ...MimeType[]]);

const mediaRows = defineRow<Media>()({
  attributes: {
    mediaId: z.string(),
    organizationId: id('organization'),
    numberId: id('number'),
    kind: z.enum(MEDIA_KINDS),
    mimeType,
    filename: z.string(),
    size: z.int(),
    sha256: z.string(),
    voice: z.literal(true).exactOptional(),
    storedAt: time,
    expiresAt: time,
  },
  key: (media) => KEYS.media(media.organizationId, media.mediaId),
});

const uploadRows = defineRow<PendingUpload>()({
  attributes: {
    id: id('upload'),
    organizationId: id('organization'),
    numberId: id('number'),
    filename: z.string(),
    mimeType,
    size: z.int(),
    objectKey: z.string(),
    createdAt: time,
    expiresAt: time,
    mediaId: z.string().exactOptional(),
  },
  key: (upload) => KEYS.upload(upload.id),
  index: (upload) => INDEX_KEYS.due('abandon_upload', upload.id, upload.expiresAt + LAST_CALL_MS),
});

const seconds = (ms: number): number => Math.ceil(ms / 1000);
/** How long a completed upload answers repeats, in ms. */
const REPEATS_MS = 24 * 3_600_000;
/** Time for a call that completes an upload just before its expiry to end, in ms. */
const LAST_CALL_MS = 60_000;

const mediaWrite = (media: Media): WriteOp => ({ put: { ...mediaRows.write(media), ttl: seconds(media.expiresAt) } });

/** Media and uploads in the table of one stage. */
export const mediaStore = (table: Table): MediaStore => ({
  async keep(media) {
    await table.write(mediaWrite(media));
  },

  async find(organizationId, mediaId, now) {
    const media = await readRow(table, KEYS.media(organizationId, mediaId), mediaRows.read);
    return media && media.expiresAt > now ? media : undefined;
  },

  async begin(upload) {
    await table.write({ put: uploadRows.write(upload) });
  },

  readUpload: (id) => readRow(table, KEYS.upload(id), uploadRows.read),

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
