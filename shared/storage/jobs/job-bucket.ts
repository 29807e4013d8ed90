import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NoSuchUpload,
  NotFound,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Clock } from '../../domain/core/time.ts';
import type { ExportBucket } from '../../domain/exports/job-ports.ts';
import type { ImportBucket } from '../../domain/imports/ports.ts';
import { SIGNED_HEADERS } from '../client/bucket-client.ts';

/** Lifetime of a presigned address, in seconds. Each read of the job creates a new one. */
const ADDRESS_SECONDS = 900;
const DELETES_IN_FLIGHT = 8;

const isAbsent = (error: unknown): boolean => error instanceof NoSuchKey || error instanceof NotFound;
/** Whether S3 reports that the object has another version than the requested one. */
const isChanged = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412;
/** Whether a range (`bytes 0-9/10`) reaches the object's end. */
const isLast = (contentRange = ''): boolean => {
  const [, end, size] = /-(\d+)\/(\d+)$/.exec(contentRange) ?? [];
  return Number(end) + 1 === Number(size);
};

/** Presigned downloads from a bucket. */
const presignDownload =
  (client: S3Client, Bucket: string, clock: Clock): ImportBucket['presignDownload'] =>
  async (Key, fileName) => {
    const ResponseContentDisposition = `attachment; filename="${fileName}"`;
    const command = new GetObjectCommand({ Bucket, Key, ResponseContentDisposition });
    const expiresAt = clock() + ADDRESS_SECONDS * 1000;
    return { url: await getSignedUrl(client, command, { expiresIn: ADDRESS_SECONDS }), expiresAt };
  };

const removeObjects =
  (client: S3Client, Bucket: string): ImportBucket['remove'] =>
  async (keys) => {
    await mapConcurrently(keys, DELETES_IN_FLIGHT, (Key) => client.send(new DeleteObjectCommand({ Bucket, Key })));
  };

/** The objects of imports in a bucket. */
export const importBucket = (client: S3Client, Bucket: string, clock: Clock): ImportBucket => ({
  presignDownload: presignDownload(client, Bucket, clock),
  async presignUpload(Key, { contentType, size }) {
    const command = new PutObjectCommand({ Bucket, Key, ContentType: contentType, ContentLength: size });
    const expiresAt = clock() + ADDRESS_SECONDS * 1000;
    const url = await getSignedUrl(client, command, { expiresIn: ADDRESS_SECONDS, signableHeaders: SIGNED_HEADERS });
    return { url, headers: { 'content-type': contentType, 'content-length': String(size) }, expiresAt };
  },
  async stat(Key) {
    try {
      const { ContentLength = 0, ETag = '' } = await client.send(new HeadObjectCommand({ Bucket, Key }));
      return { size: ContentLength, etag: ETag };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  },
  async read(Key, IfMatch, from, length) {
    try {
      const Range = `bytes=${from}-${from + length - 1}`;
      const { Body, ContentRange } = await client.send(new GetObjectCommand({ Bucket, Key, IfMatch, Range }));
      const bytes = await Body?.transformToByteArray();
      return { bytes: Buffer.from(bytes ?? []), last: isLast(ContentRange) };
    } catch (error) {
      if (isChanged(error)) return 'file_changed';
      if (isAbsent(error)) return 'file_missing';
      throw error;
    }
  },
  async put(Key, Body) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'text/csv; charset=utf-8' }));
  },
  async text(Key) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    return (await Body?.transformToString()) ?? '';
  },
  remove: removeObjects(client, Bucket),
});

/** The objects of exports in a bucket. */
export const exportBucket = (client: S3Client, Bucket: string, clock: Clock): ExportBucket => ({
  partBytes: 8 * 1024 * 1024,
  presignDownload: presignDownload(client, Bucket, clock),
  remove: removeObjects(client, Bucket),
  async put(Key, Body, ContentType) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }));
  },
  async bytes(Key) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  },
  async beginUpload(Key, ContentType) {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType }));
    if (UploadId === undefined) throw new TypeError('an upload has an id');
    return UploadId;
  },
  async uploadPart(Key, UploadId, PartNumber, Body) {
    const { ETag = '' } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
    return ETag;
  },
  async completeUpload(Key, UploadId, parts) {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
    try {
      await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
    } catch (error) {
      // The upload is gone once it was completed: then the object exists.
      if (!(error instanceof NoSuchUpload)) throw error;
      await client.send(new HeadObjectCommand({ Bucket, Key }));
    }
  },
  async abortUpload(Key, UploadId) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  },
});
