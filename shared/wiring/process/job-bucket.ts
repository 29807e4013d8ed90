import { bucketClient } from '../../storage/client/bucket-client.ts';
import { settings } from './aws.ts';

type Client = ReturnType<typeof bucketClient>;
let client: Client | undefined;

/** The bucket of the files of jobs, and its client: opened by the first job that needs it, so that refusals work without the setting. */
export const jobBucket = (): [Client, string] => {
  if (!settings.UPLOAD_BUCKET) throw new Error('UPLOAD_BUCKET must be set for jobs');
  client ??= bucketClient(settings.S3_ENDPOINT);
  return [client, settings.UPLOAD_BUCKET];
};
