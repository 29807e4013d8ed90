import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { UploadBucket } from '../../domain/channels/whatsapp/media/ports.ts';
import { bucketClient, SIGNED_HEADERS } from '../client/bucket-client.ts';

/** The bucket for uploads. */
export const uploadBucket = (Bucket: string, endpoint: string | undefined): UploadBucket => {
  const client = bucketClient(endpoint);
  return {
    presign: async ({ objectKey, mimeType, size }, expiresIn) => {
      const command = new PutObjectCommand({ Bucket, Key: objectKey, ContentType: mimeType, ContentLength: size });
      const url = await getSignedUrl(client, command, { expiresIn, signableHeaders: SIGNED_HEADERS });
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
