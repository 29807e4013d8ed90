import type { Stage } from './stages.ts';

const TEST_CREDENTIAL = /^bearer\s+svc_(?:session_)?test_/i;
const TEST_PATH = /^\/[ru]\/t/;

/**
 * The stage of a request, by the same rule as the deployed edge (`infra/constructs/edge-router.ts`): the credential's prefix, or the
 * first letter of a short-link code or unsubscribe token. Routing, not security: each stage refuses the other's credentials.
 */
export const stageOf = (path: string, authorization: string | undefined): Stage => {
  if (authorization !== undefined && TEST_CREDENTIAL.test(authorization)) return 'test';
  return TEST_PATH.test(path) ? 'test' : 'live';
};
