import { Duration, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { NAMES, type StageSettings } from '../stages.ts';
import { acknowledge } from './acknowledge.ts';

/** When rows leave for the archive; without `afterDays` only those that were to leave already. */
export interface ArchiveSetting {
  readonly afterDays?: number;
}

/** The bucket's name. Deterministic, as the upload bucket's. */
export const archiveBucketName = (scope: Construct, environment: Environment): string =>
  `${NAMES.archiveBucket(environment)}-${Stack.of(scope).account}-${Stack.of(scope).region}`;

/** Where Lambda writes the batches that the archiver failed with, in the bucket of the archive. */
export const FAILED_PREFIX = 'aws/lambda/';
export const ARCHIVE_PREFIX = 'archive/';

/** The stream that feeds the archive. Throws an Error for a restored table: it has none, so rows that expire would be lost. */
export const archivedStream = (streamArn: string | undefined): string => {
  if (streamArn === undefined)
    throw new Error(
      'A restored table has no stream that the archive could be fed by: leave archiveAfterDays out, and its time to live switched off (docs/archive.md).',
    );
  return streamArn;
};

/** Stores a stage's archived rows, encrypted with its key; retained like the table. */
export class ArchiveBucket extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { environment, key, settings }: { environment: Environment; key: IKey; settings: StageSettings },
  ) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      bucketName: archiveBucketName(this, environment),
      encryption: BucketEncryption.KMS,
      encryptionKey: key,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ id: 'no-parts', abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: settings.removal,
    });
    acknowledge(bucket, {
      'AwsSolutions-S1':
        'One function writes the archive, and logs each batch; it is read by operators, whose calls are in CloudTrail.',
    });
  }
}
