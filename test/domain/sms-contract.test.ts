import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type OperationContract, ownProblems } from '../../shared/contracts/define-operation.ts';
import {
  getSms,
  getSmsReply,
  listSms,
  listSmsReplies,
  previewSms,
  SendSms,
  SentSms,
  SmsMessage,
  SmsPreview,
  SmsReply,
  sendSms,
} from '../../shared/contracts/sms.ts';
import { PROBLEMS } from '../../shared/domain/core/errors.ts';

/** The part of a JSON schema that the interface documents of a field. */
interface Field {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Field[];
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}
const schemaOf = (schema: z.ZodType): Field =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata: z.registry() }) as Field;

/** A field's type or its values, with `?` where it may be absent. */
const typeOf = ({ type, enum: values, anyOf }: Field): string =>
  anyOf?.map(typeOf).join(' or ') ?? values?.join(' | ') ?? type ?? 'any';
const fieldsOf = ({ properties = {}, required = [] }: Field): Record<string, string> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, typeOf(field) + (required.includes(name) ? '' : '?')]),
  );

const STATUS = 'queued | sending | sent | delivered | failed | undelivered';
const ROUTE = 'premium | otp | la_dedicada';
const ENV = 'live | test';
const MESSAGE = {
  id: 'string',
  status: STATUS,
  env: ENV,
  reason: 'invalid_number | carrier_rejected | blacklisted | expired | indeterminate | abandoned?',
  route: `${ROUTE}?`,
  to: 'string',
  provider: 'aws_end_user_messaging | twilio | infobip | smpp_carrier | sandbox_provider',
  createdAt: 'string',
  sentAt: 'string?',
  deliveredAt: 'string?',
  failedAt: 'string?',
  providerReceipt: 'object?',
  contactId: 'string?',
  campaignId: 'string?',
  metadata: 'object?',
};
const COUNT = { encoding: 'GSM-7 | UCS-2', length: 'integer', segments: 'integer' };

describe('an SMS in the interface', () => {
  test('has every field of the message, with its values, and none besides', () => {
    const counted = Object.fromEntries(Object.entries(COUNT).map(([name, type]) => [name, `${type}?`]));
    expect(fieldsOf(schemaOf(SmsMessage))).toEqual({ ...MESSAGE, ...counted });
  });

  test('always has its count, its price and replayed when it is created', () => {
    const sent = schemaOf(SentSms);
    expect(fieldsOf(sent)).toEqual({ ...MESSAGE, ...COUNT, billing: 'object', replayed: 'boolean' });
    expect(fieldsOf(sent.properties?.billing ?? {})).toEqual({ coins: 'integer' });
  });

  test('has every field of a provider’s receipt, with its values, and none besides', () => {
    expect(fieldsOf(schemaOf(SmsMessage).properties?.providerReceipt ?? {})).toEqual({
      id: 'string',
      type: 'api_message | api_fast | api_reply',
      to: 'string',
      message: 'string?',
      reference: 'string?',
      status: 'string',
      statusDescription: 'string',
      received: 'string?',
      bill_factor: 'number?',
      account_id: 'number?',
      account_reference: 'string?',
      channel: 'SMS | RCS | WHATSAPP or null?',
    });
  });

  test('has every field of a reply', () => {
    expect(fieldsOf(schemaOf(SmsReply))).toEqual({
      id: 'string',
      env: ENV,
      inReplyTo: 'string',
      route: `${ROUTE}?`,
      from: 'string',
      body: 'string',
      receivedAt: 'string',
      createdAt: 'string',
    });
  });

  test('has every field of a preview', () => {
    expect(fieldsOf(schemaOf(SmsPreview))).toEqual({ body: 'string', ...COUNT, billing: 'object?' });
  });

  test('has every field of the request, and none besides', () => {
    expect(fieldsOf(schemaOf(SendSms))).toEqual({
      to: 'string',
      body: 'string',
      senderId: 'string?',
      route: ROUTE,
      contactId: 'string?',
      campaignId: 'string?',
      metadata: 'object?',
      trackLinks: 'boolean?',
    });
  });
});

describe('a sender', () => {
  const parsed = (senderId: string) => SendSms.safeParse({ to: '+5511999990005', body: 'Oi', route: 'otp', senderId });
  test.each(['L', 'ONZE LETRA1', 'a b', '1', '28900', '+123', '123456789012345', '+123456789012345'])(
    'may be %s',
    (senderId) => expect(parsed(senderId).success).toBe(true),
  );
  test.each(['', 'DOZE LETRAS0', 'LOJA!', 'AÇÃO', 'a-b', '+12', '1234567890123456', '+1234567890123456', '+LOJA'])(
    'may not be %j',
    (senderId) => expect(parsed(senderId).error?.issues.map(({ path }) => path)).toEqual([['senderId']]),
  );
});

const LIST_ERRORS = ['VALIDATION_ERROR'];
const PREVIEW_ERRORS = ['PRECONDITION_FAILED', 'VALIDATION_ERROR'];
const SEND_ERRORS = [...PREVIEW_ERRORS, 'PAYMENT_REQUIRED', 'CONFLICT', 'DEPENDENCY_FAILED'];

describe('the operations of SMS', () => {
  const contracts: readonly (readonly [string, OperationContract, string, number, readonly string[]])[] = [
    ['GET /v2/sms/messages', listSms, 'sms:read', 200, LIST_ERRORS],
    ['POST /v2/sms/messages', sendSms, 'sms:send', 201, SEND_ERRORS],
    ['POST /v2/sms/preview', previewSms, 'sms:send', 200, PREVIEW_ERRORS],
    ['GET /v2/sms/messages/{id}', getSms, 'sms:read', 200, ['NOT_FOUND']],
    ['GET /v2/sms/replies', listSmsReplies, 'sms:read', 200, LIST_ERRORS],
    ['GET /v2/sms/replies/{id}', getSmsReply, 'sms:read', 200, ['NOT_FOUND']],
  ];
  test.each(contracts)('%s has its scope, its success and its own errors', (route, contract, scope, status, errors) => {
    expect(`${contract.method} ${contract.path}`).toBe(route);
    expect(contract.permission).toBe(scope);
    expect(Object.keys(contract.responses)).toEqual([String(status)]);
    expect([...ownProblems(contract)].sort()).toEqual([...errors].sort());
  });

  test('need an Idempotency-Key and count against the rate limit for a send alone', () => {
    for (const [, contract] of contracts)
      expect([contract.id, contract.idempotency, contract.rate]).toEqual(
        contract.id === 'sms.send' ? ['sms.send', 'required', 'single_send'] : [contract.id, undefined, undefined],
      );
  });

  test.each([
    [listSms, ['status', 'region', 'contactId', 'campaignId', 'phone']],
    [listSmsReplies, ['inReplyTo']],
  ])('list with their filters, 50 at a time and at most 200', ({ request: { query } }, filters) => {
    expect(Object.keys(query.shape)).toEqual([...filters, 'from', 'to', 'limit', 'skip']);
    expect(query.parse({})).toEqual({ limit: 50, skip: 0 });
    expect(query.parse({ limit: '200', skip: '100000' })).toEqual({ limit: 200, skip: 100_000 });
    for (const bad of [{ limit: '0' }, { limit: '201' }, { skip: '-1' }, { skip: '100001' }, { order: 'asc' }])
      expect(query.safeParse(bad).success, JSON.stringify(bad)).toBe(false);
  });

  test('filter by the statuses and the regions of the interface', () => {
    const { status, region } = listSms.request.query.shape;
    expect([typeOf(schemaOf(status)), typeOf(schemaOf(region))]).toEqual([STATUS, 'BR | INTL']);
  });
});

test('a problem has the status and the stable code of the interface', () => {
  const codes = Object.entries(PROBLEMS).map(([name, { status, code }]) => [name, status, code]);
  expect(codes).toEqual([
    ['BAD_REQUEST', 400, 'BAD_REQUEST'],
    ['UNAUTHORIZED', 401, 'UNAUTHORIZED'],
    ['PAYMENT_REQUIRED', 402, 'PAYMENT_REQUIRED'],
    ['FORBIDDEN', 403, 'FORBIDDEN'],
    ['NOT_FOUND', 404, 'NOT_FOUND'],
    ['METHOD_NOT_ALLOWED', 405, 'METHOD_NOT_ALLOWED'],
    ['CONFLICT', 409, 'CONFLICT'],
    ['PRECONDITION_FAILED', 412, 'PRECONDITION_FAILED'],
    ['PAYLOAD_TOO_LARGE', 413, 'BAD_REQUEST'],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'BAD_REQUEST'],
    ['VALIDATION_ERROR', 422, 'VALIDATION_ERROR'],
    ['RATE_LIMITED', 429, 'RATE_LIMITED'],
    ['INTERNAL_ERROR', 500, 'INTERNAL_ERROR'],
    ['DEPENDENCY_FAILED', 502, 'DEPENDENCY_FAILED'],
    ['SERVICE_UNAVAILABLE', 503, 'SERVICE_UNAVAILABLE'],
  ]);
});
