import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import * as z from 'zod';
import type { FcmCredentials } from '../../../shared/domain/channels/push/credentials.ts';
import { type AcceptedPush, GATEWAY_PAGE, type PushStandIn, verifyJwt } from './push-stand-in.ts';
import { json, type RecordedRequest, type StandInAnswer, startServer, THROTTLED_SECONDS } from './stand-in.ts';

const ERROR_TYPE = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** The lifetime of Google's access tokens, in seconds. */
const TOKEN_SECONDS = 3_599;
/** How far the clocks may differ, in seconds. */
const SKEW_SECONDS = 300;

/** Status and canonical code of FCM's errors (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). */
const ERRORS: Readonly<Record<string, readonly [status: number, canonical: string]>> = {
  UNREGISTERED: [404, 'NOT_FOUND'],
  INVALID_ARGUMENT: [400, 'INVALID_ARGUMENT'],
  SENDER_ID_MISMATCH: [403, 'PERMISSION_DENIED'],
  QUOTA_EXCEEDED: [429, 'RESOURCE_EXHAUSTED'],
  UNAVAILABLE: [503, 'UNAVAILABLE'],
  INTERNAL: [500, 'INTERNAL'],
  THIRD_PARTY_AUTH_ERROR: [401, 'UNAUTHENTICATED'],
};
const BAD_TOKEN = 'The registration token is not a valid FCM registration token';

/** An error of Google's APIs; with FCM's own code where there is one. */
const fcmError = (status: number, canonical: string, errorCode?: string, message = 'words'): StandInAnswer =>
  json(status, {
    error: {
      code: status,
      message,
      status: canonical,
      ...(errorCode ? { details: [{ '@type': ERROR_TYPE, errorCode }] } : {}),
    },
  });

/** `CODE` is FCM's own, `STATUS/canonical` one of Google's without it, `BAD_TOKEN` an invalid registration token. */
const refused = (code: string): StandInAnswer => {
  if (code === 'BAD_TOKEN') return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', BAD_TOKEN);
  const known = ERRORS[code];
  if (known) return fcmError(known[0], known[1], code);
  const [status = '', canonical = ''] = code.split('/');
  return canonical ? fcmError(Number(status), canonical) : { ...GATEWAY_PAGE, status: Number(status) };
};

/** REST Resource: projects.messages, as far as we send it; any other field is an error, as in FCM. */
const request = z.strictObject({
  message: z.strictObject({
    token: z.string().min(1),
    data: z.record(z.string().regex(/^(?!google|gcm|from$|message_type$)/), z.string()),
    notification: z.strictObject({ title: z.string(), body: z.string(), image: z.url().optional() }).optional(),
    android: z.strictObject({
      priority: z.enum(['NORMAL', 'HIGH']),
      ttl: z.string().regex(/^\d+s$/),
      notification: z.strictObject({ tag: z.string() }).optional(),
    }),
  }),
});

const account = (): FcmCredentials => ({
  project_id: 'loja-de-teste',
  private_key_id: 'f00dfeed5511',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  client_email: 'push@loja-de-teste.iam.gserviceaccount.com',
});

const acceptedOf = (body: string, name: string): AcceptedPush => {
  const { token, data, notification, android } = request.parse(JSON.parse(body)).message;
  const { actions, ...fields } = data;
  return {
    token,
    providerMessageId: name,
    shown: notification && { title: notification.title, body: notification.body },
    fields: { ...fields, ...(actions === undefined ? {} : { actions: JSON.parse(actions) as unknown }) },
    urgent: android.priority === 'HIGH',
    ttlSeconds: Number(android.ttl.slice(0, -1)),
    collapse: android.notification?.tag,
  };
};

/** Google's token endpoint: checks assertions and remembers the tokens that it issued. */
const tokenEndpoint = (known: FcmCredentials, now: () => number) => {
  const tokens = new Map<string, number>();
  const scripted: StandInAnswer[] = [];
  let requests = 0;
  const isAssertion = (assertion: string): boolean => {
    const jwt = verifyJwt(assertion, 'RS256', createPublicKey(known.private_key));
    const seconds = now() / 1000;
    const { iss, scope, aud, iat, exp } = jwt?.claims ?? {};
    return (
      jwt?.header.kid === known.private_key_id &&
      iss === known.client_email &&
      scope === 'https://www.googleapis.com/auth/firebase.messaging' &&
      aud === 'https://oauth2.googleapis.com/token' &&
      typeof iat === 'number' &&
      Math.abs(iat - seconds) < SKEW_SECONDS &&
      typeof exp === 'number' &&
      exp > seconds &&
      exp - iat <= 3_600
    );
  };
  const answer = ({ method, path, headers, body }: RecordedRequest): StandInAnswer => {
    if (method !== 'POST' || path !== '/token') return json(404, {});
    requests += 1;
    const next = scripted.shift();
    if (next) return next;
    const form = new URLSearchParams(body);
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    if (!isForm || form.get('grant_type') !== GRANT || !isAssertion(form.get('assertion') ?? ''))
      return json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
    const token = `ya29.token-${requests}`;
    tokens.set(token, now() + TOKEN_SECONDS * 1000);
    return json(200, { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer' });
  };
  return { tokens, scripted, answer, requests: () => requests };
};

/** Starts a stand-in of Firebase Cloud Messaging, HTTP v1, with Google's token endpoint. */
export const startFcmStandIn = async (now: () => number) => {
  const known = account();
  const pushes: AcceptedPush[] = [];
  const google = tokenEndpoint(known, now);
  const { baseUrl, requests, script, close } = await startServer({
    isSend: ({ path }) => path.endsWith('/messages:send'),
    check: ({ method, path, headers, body }) => {
      const ends = google.tokens.get((headers.authorization ?? '').replace(/^Bearer /, ''));
      if (ends === undefined || ends <= now()) return fcmError(401, 'UNAUTHENTICATED');
      if (method !== 'POST' || path !== `/v1/projects/${known.project_id}/messages:send`)
        return fcmError(403, 'PERMISSION_DENIED');
      return request.safeParse(JSON.parse(body)).success ? undefined : fcmError(400, 'INVALID_ARGUMENT');
    },
    accept: ({ body }) => {
      const name = `projects/${known.project_id}/messages/0:${pushes.length + 1}%abc`;
      pushes.push(acceptedOf(body, name));
      return json(200, { name });
    },
    refuse: refused,
    throttle: () => {
      const answer = refused('QUOTA_EXCEEDED');
      return { ...answer, headers: { ...answer.headers, 'retry-after': String(THROTTLED_SECONDS) } };
    },
    serverError: () => refused('INTERNAL'),
    other: google.answer,
  });
  const standIn: PushStandIn = {
    options: { fcmUrl: baseUrl, googleTokenUrl: `${baseUrl}/token` },
    app: { fcm: known },
    device: { platform: 'android', token: 'dK5511:APA91b_segredo-9182' },
    strangers: { fcm: account() },
    sends: () => requests.filter(({ path }) => path !== '/token').length,
    pushes,
    script,
    close,
  };
  return {
    ...standIn,
    /** How often a token was requested, and the answers to the next requests instead of a token. */
    tokenRequests: google.requests,
    scriptTokens: (...answers: readonly StandInAnswer[]) => void google.scripted.push(...answers),
    /** Revokes every issued token. */
    revokeTokens: () => google.tokens.clear(),
  };
};
export type FcmStandIn = Awaited<ReturnType<typeof startFcmStandIn>>;
