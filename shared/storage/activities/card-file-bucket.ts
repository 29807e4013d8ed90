import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type CardFileBucket, fileKeyOf, uploadKeyOf } from '../../domain/activities/card-file.ts';
import { attachmentNamed } from '../../domain/activities/file-name.ts';
import { SIGNED_HEADERS } from '../client/bucket-client.ts';

/** The objects of cards' files in a bucket. */
export const cardFileBucket = (client: S3Client, Bucket: string): CardFileBucket => ({
  async presignUpload(upload, expiresIn) {
    const { mimeType, size } = upload;
    const command = new PutObjectCommand({
      Bucket,
      Key: uploadKeyOf(upload),
      ContentType: mimeType,
      ContentLength: size,
    });
    const url = await getSignedUrl(client, command, { expiresIn, signableHeaders: SIGNED_HEADERS });
    return { url, headers: { 'content-type': mimeType, 'content-length': String(size) } };
  },
  presignDownload(file, expiresIn) {
    const command = new GetObjectCommand({
      Bucket,
      Key: fileKeyOf(file, file.id),
      ResponseContentDisposition: attachmentNamed(file.name),
      ResponseContentType: file.mimeType,
    });
    return getSignedUrl(client, command, { expiresIn });
  },
  async read(Key, maxBytes) {
    try {
      const { Body, ContentLength = 0, ContentType = '' } = await client.send(new GetObjectCommand({ Bucket, Key }));
      if (ContentLength > maxBytes) return 'too_large';
      return { bytes: (await Body?.transformToByteArray()) ?? new Uint8Array(), type: ContentType };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  },
  async put(Key, Body, ContentType) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }));
  },
  async remove(Key) {
    await client.send(new DeleteObjectCommand({ Bucket, Key }));
  },
});
