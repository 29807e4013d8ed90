import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { UploadBucket } from '../../domain/channels/whatsapp/media/ports.ts';

/** The local bucket accepts these credentials only. */
const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** A client of S3, or of the local bucket at `endpoint`. */
const bucketClient = (endpoint: string | undefined): S3Client =>
  new S3Client({
    maxAttempts: 3,
    // Otherwise a checksum of the empty body would be part of the presigned URL, and every other body would be refused.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint ? { endpoint, forcePathStyle: true, credentials: LOCAL_CREDENTIALS, region: 'us-east-1' } : {}),
  });

/** Headers that the caller must send as agreed: S3 verifies them by the signature (SigV4, signed headers). */
const SIGNED = new Set(['content-length', 'content-type']);

/** The bucket for uploads. */
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
        // In Node the body is a Node stream (AWS SDK for JavaScript v3, SdkStream).
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
