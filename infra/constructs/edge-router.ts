/** The ids of the distribution's two origins. */
export const ORIGINS = { live: 'live', test: 'test' } as const;
/** The ids of the gateway services' origins, where these are switched on. */
export const SERVICE_ORIGINS = { live: 'live-media', test: 'test-media' } as const;

/**
 * The CloudFront Function that picks the stage of a request (JavaScript runtime 2.0, at most 10 KB): a test credential, and the
 * short links and unsubscribe links of the test stage, whose codes begin with `t`, go to the test stage; everything else to the
 * default origin, live. Routing is no security: each stage refuses the other's credentials by itself. The gateway asks no authorizer
 * where there is no credential at all; under /v1 the word `none` stands for one, so that the refusal is the authorizer's, in the overview
 * contract's words.
 */
export const ROUTER_CODE = `import cf from 'cloudfront';

var TEST_CREDENTIAL = /^bearer\\s+svc_(?:session_)?test_/i;
var TEST_PATH = /^\\/[ru]\\/t/;
var OVERVIEW_PATH = /^\\/v1\\//;

function handler(event) {
  var request = event.request;
  var authorization = request.headers.authorization;
  if ((authorization && TEST_CREDENTIAL.test(authorization.value)) || TEST_PATH.test(request.uri)) {
    cf.selectRequestOriginById('${ORIGINS.test}');
  }
  if (!authorization && OVERVIEW_PATH.test(request.uri)) request.headers.authorization = { value: 'none' };
  return request;
}
`;

/** The same choice for the paths that the gateway services serve. */
export const SERVICE_ROUTER_CODE = ROUTER_CODE.replace(`ById('${ORIGINS.test}')`, `ById('${SERVICE_ORIGINS.test}')`);
