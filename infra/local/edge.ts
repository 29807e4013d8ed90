import type { Stage } from './stages.ts';

const TEST_CREDENTIAL = /^bearer\s+svc_(?:session_)?test_/i;
const TEST_PATH = /^\/[ru]\/t/;

/**
 * Which stage a request goes to, by the rule of the deployed edge: the credential's prefix, or the first letter of a short
 * link's code or of an unsubscribe token. Routing only: each stage refuses the other's credentials by itself.
 */
export const stageOf = (path: string, authorization: string | undefined): Stage => {
  if (authorization !== undefined && TEST_CREDENTIAL.test(authorization)) return 'test';
  return TEST_PATH.test(path) ? 'test' : 'live';
};
