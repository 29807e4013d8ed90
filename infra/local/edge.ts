import type { Stage } from './stages.ts';

const TEST_CREDENTIAL = /^bearer\s+svc_(?:session_)?test_/i;
const TEST_PATH = /^\/[ru]\/t/;
const SIGN_IN_PATH = /^\/sessions(?:\/|$)/;
const TEST_QUERY = /(?:^|&)env=test(?:&|$)/;

/**
 * The stage of a request, by the same rule as the deployed edge (`infra/constructs/edge-router.ts`): the credential's prefix, or the
 * first letter of a short-link code or unsubscribe token, or `env` of a call that signs in. Routing, not security: each stage refuses the other's credentials.
 */
export const stageOf = (path: string, authorization: string | undefined, query = ''): Stage => {
  if (authorization !== undefined && TEST_CREDENTIAL.test(authorization)) return 'test';
  if (SIGN_IN_PATH.test(path) && TEST_QUERY.test(query)) return 'test';
  return TEST_PATH.test(path) ? 'test' : 'live';
};
