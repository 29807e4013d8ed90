import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { UploadBucket } from '../../domain/channels/whatsapp/media/ports.ts';

/** What the bucket of this machine takes; it knows no other caller. */
const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** A client of S3, or of the bucket of this machine at `endpoint`. */
const bucketClient = (endpoint: string | undefined): S3Client =>
  new S3Client({
    maxAttempts: 3,
    // A checksum of the empty body that is presigned would be part of the address, and refuse every other body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint ? { endpoint, forcePathStyle: true, credentials: LOCAL_CREDENTIALS, region: 'us-east-1' } : {}),
  });

/** What the caller must send as it was agreed: S3 compares both with the signature (SigV4, signed headers). */
const SIGNED = new Set(['content-length', 'content-type']);

/** The bucket that uploads pass through. */
export const uploadBucket = (Bucket: string, endpoint: string | undefined): UploadBucket => {
  const client = bucketClient(endpoint);
  return {
    presign: async ({ objectKey, mimeType, size }, expiresIn) => {
      const command = new PutObjectCommand({ Bucket, Key: objectKey, ContentType: mimeType, ContentLength: size });
      const url = await getSignedUrl(client, command, { expiresIn, signableHeaders: SIGNED });
      return { url, headers: { 'content-type': mimeType, 'content-length': String(size) } };
    },
    open: async (Key) => {
      try {
        const { Body, ContentLength = 0, ContentType } = await client.send(new GetObjectCommand({ Bucket, Key }));
        // In Node the body is a stream of Node's own (AWS SDK for JavaScript v3, SdkStream).
        return { size: ContentLength, contentType: ContentType, body: Body as AsyncIterable<Uint8Array> };
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    remove: async (Key) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
};
