import type { APIGatewayProxyEvent } from 'aws-lambda';
import { UploadMedia } from '../../contracts/media.ts';
import { Refusal, refuse } from '../../domain/errors.ts';
import type { Described } from '../../domain/media/forward.ts';
import type { MediaPorts, SendingNumber, UploadBucket } from '../../domain/media/ports.ts';
import { abandonUpload } from '../../domain/media/presigned.ts';
import { sandboxMediaPlatform } from '../../domain/media/sandbox.ts';
import type { ParseDescribed } from '../../domain/media/upload.ts';
import { openFileSpool } from '../../providers/media/spool.ts';
import { graphAddress, metaMediaPlatform } from '../../providers/meta/media.ts';
import type { DueHint } from '../../queues/queues.ts';
import { mediaStore, uploadIdOf } from '../../storage/media.ts';
import { uploadBucket } from '../../storage/media-bucket.ts';
import { readProviderSettings } from '../../storage/providers.ts';
import { logger } from '../observe.ts';
import { header, parseJsonBody } from '../request.ts';
import { numberPorts } from './numbers.ts';
import { clock, providerFetch, settings, table, vault } from './platform.ts';

let bucket: UploadBucket | undefined;
/** Opened by the first upload that needs it: whoever is refused before needs none. */
const openBucket = (): UploadBucket => {
  if (!settings.UPLOAD_BUCKET) throw new Error('UPLOAD_BUCKET must be set for operations that take uploads');
  return uploadBucket(settings.UPLOAD_BUCKET, settings.S3_ENDPOINT);
};

const MISSING =
  'No provider of whatsapp is set up: run `npm run admin -- provider set --env live --channel whatsapp --provider NAME --file SETTINGS.json`.';

/** The platform of live numbers, at the address that the operator's settings of WhatsApp name. */
const livePlatform: MediaPorts['platform'] = async () => {
  const [found] = (await readProviderSettings(table, await vault(), 'whatsapp')).values();
  if (found === undefined) return { missing: MISSING };
  return metaMediaPlatform({ fetch: providerFetch, now: clock }, graphAddress(found));
};

/** A number that can be uploaded for: one that is still connected, with its access token. */
const numberOf = async (organizationId: string, numberId: string): Promise<SendingNumber | undefined> => {
  const number = await numberPorts.numbers.read(organizationId, numberId);
  if (!number || number.status === 'disconnected') return undefined;
  const accessToken = await numberPorts.numbers.accessToken(number);
  return accessToken === undefined ? undefined : { phoneNumberId: number.phoneNumberId, accessToken };
};

/** What the rules of media need. Only the live stage ever calls the channel platform. */
export const mediaPorts: MediaPorts = {
  clock,
  store: mediaStore(table),
  platform: settings.STAGE === 'live' ? livePlatform : async () => sandboxMediaPlatform,
  get bucket() {
    bucket ??= openBucket();
    return bucket;
  },
  openSpool: openFileSpool,
  numberOf,
  observe: (detail) => logger.warn('media upload', { detail }),
};

/** Judges the JSON around an upload's data by the contract. */
export const parseDescribed: ParseDescribed = (json) => {
  const parsed = parseJsonBody(UploadMedia, json, 'VALIDATION_ERROR');
  return parsed instanceof Refusal ? parsed : parsed.data;
};

/** `x-filename`, percent-encoded as a query is, so that it can hold any name. */
const headerName = (event: APIGatewayProxyEvent): string | undefined => {
  const text = header(event, 'x-filename');
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** What the raw form says of its file: its name in the query or in `x-filename`, its type as the content type. */
export const describedBy = (
  event: APIGatewayProxyEvent,
  queryName: string | undefined,
): Described | Refusal<'VALIDATION_ERROR'> => {
  const name = UploadMedia.shape.filename.safeParse(queryName ?? headerName(event));
  if (name.success) return { filename: name.data, mimeType: header(event, 'content-type') ?? '' };
  return refuse('VALIDATION_ERROR', {
    detail: 'The file has no usable name: give one as `filename` in the query, or percent-encoded in `x-filename`.',
    errors: [{ path: 'filename', message: 'is needed, 1 to 240 characters without folders or control characters' }],
  });
};

/** Takes away what an upload left behind that was never completed. */
export const abandonWork = (hint: DueHint): Promise<void> => abandonUpload(mediaPorts, uploadIdOf(hint));
