/** Credentials for the AWS SDK's clients; the embedded engines take any. */
Object.assign(process.env, {
  AWS_REGION: process.env.AWS_REGION ?? 'sa-east-1',
  AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? 'local',
  AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? 'local',
});
