import { startLocalStack } from '../infra/local/local-stack.ts';

/** The service without consumers and dispatcher, in a process of its own: what is queued waits. Settings as of `npm start`. */
const { DATA_DIR: dataDir = '', DYNAMODB_ENDPOINT = '', SQS_ENDPOINT } = process.env;
const stack = await startLocalStack({
  port: 0,
  dataDir,
  background: false,
  env: { DYNAMODB_ENDPOINT, ...(SQS_ENDPOINT ? { SQS_ENDPOINT } : {}) },
});
process.on('SIGTERM', () => void stack.close().then(() => process.exit(0)));
console.log(`Ready at ${stack.url}`);
