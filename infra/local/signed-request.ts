import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The parts of a request that Signature Version 4 covers. `target` is path and query as sent. */
export interface SignedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A signature with its parameters, from the query of a presigned URL or from the `Authorization` header. */
interface Claim {
  readonly signature: string;
  readonly signedHeaders: string;
  readonly date: string;
  /** `day/region/service/aws4_request`. */
  readonly scope: string;
  readonly payload: string;
  /** Validity, in seconds. */
  readonly expires: number;
}
/** Allowed clock skew, and validity of a header signature, in seconds (S3: RequestTimeTooSkewed). */
const SKEW_SECONDS = 900;

const claimOfQuery = (query: URLSearchParams): Claim | undefined => {
  if (query.get('X-Amz-Algorithm') !== ALGORITHM) return undefined;
  return {
    signature: query.get('X-Amz-Signature') ?? '',
    signedHeaders: query.get('X-Amz-SignedHeaders') ?? '',
    date: query.get('X-Amz-Date') ?? '',
    scope: (query.get('X-Amz-Credential') ?? '').split('/').slice(1).join('/'),
    payload: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
    expires: Number(query.get('X-Amz-Expires')),
  };
};

const claimOfHeaders = (headers: SignedRequest['headers']): Claim | undefined => {
  const text = String(headers.authorization ?? '');
  const found = new RegExp(`^${ALGORITHM} Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$`).exec(
    text,
  );
  if (!found) return undefined;
  const [, credential = '', signedHeaders = '', signature = ''] = found;
  return {
    signature,
    signedHeaders,
    date: String(headers['x-amz-date'] ?? ''),
    scope: credential.split('/').slice(1).join('/'),
    payload: String(headers['x-amz-content-sha256'] ?? ''),
    expires: SKEW_SECONDS,
  };
};

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');

const canonicalHeaders = (headers: SignedRequest['headers'], names: string): string =>
  names
    .split(';')
    .map(
      (name) =>
        `${name}:${String(headers[name] ?? '')
          .trim()
          .replaceAll(/ +/g, ' ')}\n`,
    )
    .join('');

/** `20260302T140509Z` in ms; NaN for anything else. */
const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/**
 * Whether a request has a valid Signature Version 4 (Amazon S3 API reference, "Authenticating Requests"), as S3 verifies it; `now` in ms.
 * Signed headers must match, so a presigned URL accepts only the content length and type that it was signed for.
 */
export const isSigned = (request: SignedRequest, secretKey: string, now: number): boolean => {
  const [path = '/', queryText = ''] = request.target.split('?');
  const query = new URLSearchParams(queryText);
  const claim = claimOfQuery(query) ?? claimOfHeaders(request.headers);
  if (!claim) return false;
  const age = (now - timeOf(claim.date)) / 1000;
  if (!(age >= -SKEW_SECONDS && age <= claim.expires)) return false;
  const canonical = [
    request.method,
    path,
    canonicalQuery(query),
    canonicalHeaders(request.headers, claim.signedHeaders),
    claim.signedHeaders,
    claim.payload,
  ].join('\n');
  const key = claim.scope.split('/').reduce<string | Buffer>((secret, term) => hmac(secret, term), `AWS4${secretKey}`);
  const expected = hmac(key, [ALGORITHM, claim.date, claim.scope, sha256(canonical)].join('\n'));
  const given = Buffer.from(claim.signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
};
