import { S3Client } from '@aws-sdk/client-s3';

/** The local bucket accepts these credentials only. */
const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** A client of S3, or of the local bucket at `endpoint`. */
export const bucketClient = (endpoint: string | undefined): S3Client =>
  new S3Client({
    maxAttempts: 3,
    // Otherwise a checksum of the empty body would be part of the presigned URL, and every other body would be refused.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint ? { endpoint, forcePathStyle: true, credentials: LOCAL_CREDENTIALS, region: 'us-east-1' } : {}),
  });

/** Headers that the caller must send as agreed: S3 verifies them by the signature (SigV4, signed headers). */
export const SIGNED_HEADERS = new Set(['content-length', 'content-type']);
