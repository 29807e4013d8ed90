import type { Environment } from '../../shared/domain/actor.ts';
import type { ContractName } from '../../shared/runtime/problem.ts';

type Origins = Readonly<Record<Environment, string>>;

/** The ids of the distribution's origins: an API for each contract in each stage. */
export const ORIGINS: Readonly<Record<ContractName, Origins>> = {
  reference: { live: 'live', test: 'test' },
  overview: { live: 'live-v1', test: 'test-v1' },
};
/** The ids of the gateway services' origins, where these are switched on. */
export const SERVICE_ORIGINS: Origins = { live: 'live-media', test: 'test-media' };

/**
 * The CloudFront Function that picks the origin of a request (JavaScript runtime 2.0, at most 10 KB), among those of the contract that the
 * path belongs to: a test credential, and the short links and unsubscribe links of the test stage, whose codes begin with `t`, go to the
 * test stage; everything else to live. Routing is no security: each stage refuses the other's credentials by itself.
 */
const routerCode = (reference: Origins, overview: Origins): string => `import cf from 'cloudfront';

var TEST_CREDENTIAL = /^bearer\\s+svc_(?:session_)?test_/i;
var TEST_PATH = /^\\/[ru]\\/t/;
var OVERVIEW_PATH = /^\\/v1\\//;

function handler(event) {
  var request = event.request;
  var authorization = request.headers.authorization;
  var isTest = (authorization && TEST_CREDENTIAL.test(authorization.value)) || TEST_PATH.test(request.uri);
  var origins = OVERVIEW_PATH.test(request.uri) ? ${JSON.stringify(overview)} : ${JSON.stringify(reference)};
  cf.selectRequestOriginById(isTest ? origins.test : origins.live);
  return request;
}
`;

export const ROUTER_CODE = routerCode(ORIGINS.reference, ORIGINS.overview);
/** The same choice for the paths that the gateway services serve, all of the reference contract. */
export const SERVICE_ROUTER_CODE = routerCode(SERVICE_ORIGINS, SERVICE_ORIGINS);
