import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import type { ArchiveBucket } from '../../domain/archive/ports.ts';

/** The archive in an S3 bucket, which encrypts its objects. */
export const s3ArchiveBucket = (Bucket: string, settings: S3ClientConfig = {}): ArchiveBucket => {
  const client = new S3Client({ maxAttempts: 5, ...settings });
  return {
    async put(Key, Body) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'application/gzip' }));
    },
    async get(Key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        return await Body?.transformToByteArray();
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async remove(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
    async *list(Prefix) {
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
        for (const { Key } of Contents) if (Key !== undefined) yield Key;
    },
  };
};
