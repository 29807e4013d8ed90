/** The ids of the distribution's two origins. */
export const ORIGINS = { live: 'live', test: 'test' } as const;

/**
 * The CloudFront Function that picks the stage of a request (JavaScript runtime 2.0, at most 10 KB): a test credential, and the
 * short links and unsubscribe links of the test stage, whose codes begin with `t`, go to the test stage; everything else to the
 * default origin, live. Routing is no security: each stage refuses the other's credentials by itself.
 */
export const ROUTER_CODE = `import cf from 'cloudfront';

var TEST_CREDENTIAL = /^bearer\\s+svc_(?:session_)?test_/i;
var TEST_PATH = /^\\/[ru]\\/t/;

function handler(event) {
  var request = event.request;
  var authorization = request.headers.authorization;
  if ((authorization && TEST_CREDENTIAL.test(authorization.value)) || TEST_PATH.test(request.uri)) {
    cf.selectRequestOriginById('${ORIGINS.test}');
  }
  return request;
}
`;
