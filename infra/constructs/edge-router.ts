import { EDGE_HEADERS } from '../../shared/contracts/edge.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { ContractName } from '../../shared/runtime/problem.ts';

type Origins = Readonly<Record<Environment, string>>;

/** Origin ids of the distribution: one REST API per contract and stage. */
export const ORIGINS: Readonly<Record<ContractName, Origins>> = {
  reference: { live: 'live', test: 'test' },
  v1: { live: 'live-v1', test: 'test-v1' },
};
/** Origin ids of the gateway services, when these are switched on. */
export const SERVICE_ORIGINS: Origins = { live: 'live-media', test: 'test-media' };

/**
 * The CloudFront Function that selects the origin of a request (JavaScript runtime 2.0, at most 10 KB). The path selects the contract.
 * Test credentials, and the short links and unsubscribe links of test (their codes begin with `t`), go to the test stage, all else to
 * live, but for calls that sign in with `env=test`. This is routing, not security: each stage's authorizer refuses the other's credentials.
 * The caller's address goes along in a header that the function writes over whatever the caller sent under its name.
 */
const routerCode = (reference: Origins, v1: Origins): string => `import cf from 'cloudfront';

var TEST_CREDENTIAL = /^bearer\\s+svc_(?:session_)?test_/i;
var TEST_PATH = /^\\/[ru]\\/t/;
var SIGN_IN_PATH = /^\\/sessions(?:\\/|$)/;
var V1_PATH = /^\\/v1\\//;

function handler(event) {
  var request = event.request;
  var authorization = request.headers.authorization;
  var isTest = (authorization && TEST_CREDENTIAL.test(authorization.value)) || TEST_PATH.test(request.uri)
    || (SIGN_IN_PATH.test(request.uri) && request.querystring.env && request.querystring.env.value === 'test');
  var origins = V1_PATH.test(request.uri) ? ${JSON.stringify(v1)} : ${JSON.stringify(reference)};
  request.headers['${EDGE_HEADERS.viewer}'] = { value: event.viewer.ip };
  cf.selectRequestOriginById(isTest ? origins.test : origins.live);
  return request;
}
`;

/** The function for all paths of the contracts. */
export const ROUTER_CODE = routerCode(ORIGINS.reference, ORIGINS.v1);
/** The same for the paths of the gateway services, which all belong to the reference contract. */
export const SERVICE_ROUTER_CODE = routerCode(SERVICE_ORIGINS, SERVICE_ORIGINS);
