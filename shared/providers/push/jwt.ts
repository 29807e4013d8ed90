import { type KeyObject, sign } from 'node:crypto';

/** RSASSA-PKCS1-v1_5 or ECDSA on P-256, both with SHA-256 (RFC 7518, 3.1). */
export type JwtAlgorithm = 'RS256' | 'ES256';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A signed JWT in compact form (RFC 7515, 3.1; RFC 7519). `header` is added to `alg` and `typ`. */
export const signJwt = (algorithm: JwtAlgorithm, key: KeyObject, header: object, claims: object): string => {
  const signed = `${part({ alg: algorithm, typ: 'JWT', ...header })}.${part(claims)}`;
  // JOSE concatenates the two numbers of an ECDSA signature; OpenSSL's default is DER (RFC 7518, 3.4).
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
};
