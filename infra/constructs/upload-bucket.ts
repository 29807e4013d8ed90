import { Aws, Duration, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { UPLOAD_RULE } from '../console/page.ts';
import { NAMES, type StageSettings } from '../stages.ts';
import { acknowledge } from './acknowledge.ts';

/** The bucket of a stage, encrypted with `key`. */
export interface UploadBucketProps {
  readonly environment: Environment;
  readonly key: IKey;
  readonly settings: StageSettings;
  /** The origin of the console, whose pages may upload files; undefined while the service has no address of its own. */
  readonly consoleOrigin?: string | undefined;
}

/** The bucket's name. Deterministic, so that the application stack can grant it without a cross-stack export. */
export const uploadBucketName = (scope: Construct, environment: Environment): string =>
  `${NAMES.uploadBucket(environment)}-${Stack.of(scope).account}-${Stack.of(scope).region}`;

/** The origin of presigned addresses of the bucket, as the AWS SDK writes them. */
export const uploadOrigin = (scope: Construct, environment: Environment): string =>
  `https://${uploadBucketName(scope, environment)}.s3.${Stack.of(scope).region}.${Aws.URL_SUFFIX}`;

/**
 * Stores files between the caller's presigned PUT and the upload to Meta. The `abandon_upload` work item deletes them after an hour; a
 * lifecycle rule deletes leftovers after a day, such as an object put to the URL of an upload that was already completed. Files of imports
 * and exports are kept for seven days at most. Files of cards, under `cards/`, are kept until they are deleted; removing a stage's bucket
 * removes them, too.
 */
export class UploadBucket extends Construct {
  constructor(scope: Construct, id: string, { environment, key, settings, consoleOrigin }: UploadBucketProps) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      bucketName: uploadBucketName(this, environment),
      encryption: BucketEncryption.KMS,
      encryptionKey: key,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      ...(consoleOrigin === undefined
        ? {}
        : {
            cors: [
              {
                allowedOrigins: [consoleOrigin],
                allowedMethods: [HttpMethods.PUT],
                allowedHeaders: [UPLOAD_RULE.header],
                maxAge: UPLOAD_RULE.maxAgeSeconds,
              },
            ],
          }),
      lifecycleRules: [
        ...['uploads/', 'card-uploads/'].map((prefix) => ({
          id: `${prefix.slice(0, -1)}-for-a-day`,
          prefix,
          expiration: Duration.days(1),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        })),
        ...['imports/', 'exports/'].map((prefix) => ({
          id: `${prefix.slice(0, -1)}-for-a-week`,
          prefix,
          expiration: Duration.days(7),
          abortIncompleteMultipartUploadAfter: Duration.days(7),
        })),
      ],
      removalPolicy: settings.removal,
    });
    acknowledge(bucket, {
      'AwsSolutions-S1':
        'Each presigned URL serves one upload, whose start and completion are in the access log of the API; a bucket log would need a second bucket and add nothing.',
    });
  }
}
