import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, type WebhookRequest, WebhookVerificationError } from '../../sdk/typescript/src/index.ts';
import { failure } from './kit.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const NOW = Date.parse('2026-03-02T14:05:09.120Z');
const secret = newSecret();
const event = { id: 'evt_1', type: 'sms.delivered', data: { to: '+55119****4321', note: 'ção 😀' } };
const body = JSON.stringify(event);

/** The headers of an attempt, signed by each of the secrets. */
const signed = (secrets: readonly string[] = [secret], { text = body, at = NOW } = {}) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': secrets.map((one) => new Webhook(one).sign('evt_1', new Date(at), text)).join(' '),
});
const verify = (fields: Partial<WebhookRequest> = {}) =>
  verifyWebhook({ secret, headers: signed(), body, now: NOW, ...fields });
const refusal = async (fields: Partial<WebhookRequest>): Promise<string> => {
  const error = await failure(verify(fields));
  expect(error).toBeInstanceOf(WebhookVerificationError);
  return (error as WebhookVerificationError).reason;
};

describe('a webhook is accepted', () => {
  it('that the service signed, as text and as bytes', async () => {
    for (const given of [body, new TextEncoder().encode(body), new TextEncoder().encode(body).buffer])
      expect(await verify({ body: given })).toEqual(event);
    const padded = new TextEncoder().encode(`x${body}x`);
    expect(await verify({ body: padded.subarray(1, -1) })).toEqual(event);
  });

  it('with headers of any runtime: Headers, an object in lower case, one in any case', async () => {
    const upper = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]));
    for (const headers of [signed(), new Headers(signed()), upper]) expect(await verify({ headers })).toEqual(event);
  });

  it('while its secret is rotated: signed by both, and checked against either or both', async () => {
    const next = newSecret();
    expect(await verify({ headers: signed([next, secret]) })).toEqual(event);
    expect(await verify({ headers: signed([next, secret]), secret: next })).toEqual(event);
    expect(await verify({ headers: signed([secret]), secret: [next, secret] })).toEqual(event);
  });

  it('among signatures that are of another version or unreadable', async () => {
    const headers = signed();
    const signatures = `v1a,AAAA v1,%%% v1, ${headers['webhook-signature']}`;
    expect(await verify({ headers: { ...headers, 'webhook-signature': signatures } })).toEqual(event);
  });

  it('within the tolerance, before and after', async () => {
    for (const now of [NOW - 299_000, NOW + 299_000]) expect(await verify({ now })).toEqual(event);
    expect(await verify({ now: NOW + 3_000_000, toleranceSeconds: 3_001 })).toEqual(event);
  });
});

describe('a webhook is refused', () => {
  it('of a version that it does not know, even if its signature would be right', async () => {
    const headers = signed();
    for (const version of ['v2,', 'v1a', 'xx,'])
      expect(
        await refusal({
          headers: { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', version) },
        }),
      ).toBe('signature');
  });

  it('of which anything was changed', async () => {
    const headers = signed();
    expect(await refusal({ body: body.replace('4321', '4322') })).toBe('signature');
    expect(await refusal({ body: `${body} ` })).toBe('signature');
    expect(await refusal({ headers: { ...headers, 'webhook-id': 'evt_2' } })).toBe('signature');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(await refusal({ headers: { ...headers, 'webhook-timestamp': later } })).toBe('signature');
  });

  it('of another secret, or with a part of the signature', async () => {
    expect(await refusal({ secret: newSecret() })).toBe('signature');
    expect(await refusal({ secret: [] })).toBe('signature');
    const whole = createHmac('sha256', 'k').update('x').digest();
    for (const part of [whole.subarray(0, 8), Buffer.alloc(0)]) {
      const headers = { ...signed(), 'webhook-signature': `v1,${part.toString('base64')}` };
      expect(await refusal({ headers })).toBe('signature');
    }
  });

  it('that is older or newer than the tolerance, or whose time is no number', async () => {
    for (const now of [NOW - 302_000, NOW + 302_000]) expect(await refusal({ now })).toBe('timestamp');
    const id = 'evt_1';
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.soon.${body}`).digest('base64');
    const headers = { 'webhook-id': id, 'webhook-timestamp': 'soon', 'webhook-signature': `v1,${signature}` };
    expect(await refusal({ headers })).toBe('timestamp');
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s', async (name) => {
    const headers = signed();
    expect(await refusal({ headers: { ...headers, [name]: undefined } })).toBe('headers');
    expect(await refusal({ headers: { ...headers, [name]: '' } })).toBe('headers');
    const given = new Headers(headers);
    given.delete(name);
    expect(await refusal({ headers: given })).toBe('headers');
  });

  it('that is signed and no JSON', async () => {
    expect(await refusal({ body: '{', headers: signed([secret], { text: '{' }) })).toBe('body');
  });
});

it('an invalid secret is an error of the program, not of the webhook', async () => {
  for (const wrong of ['', 'whsec_', 'whsec_%%%'])
    expect(await failure(verify({ secret: wrong }))).toBeInstanceOf(TypeError);
});
