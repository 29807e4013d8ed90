import { createHash } from 'node:crypto';
import type { Actor } from '../actor.ts';
import { canonical } from '../canonical.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { type Id, newId, randomBase62 } from '../ids.ts';
import type { KeptPromise, Reservation } from '../messages/journal.ts';
import type { Decision, MessageRecord } from '../messages/message.ts';
import { parsePhone, phoneRegion } from '../phone.ts';
import type { PriceRow } from '../pricing/prices.ts';
import { dispatchSms } from './dispatch.ts';
import { replaceLinks } from './links.ts';
import type { SmsPorts } from './ports.ts';
import type { SmsRoute } from './provider.ts';
import { quoteSms, type SmsQuote, smsPriceRow } from './quote.ts';
import { prepareText } from './text.ts';
import { sentSmsView } from './views.ts';

/** The parsed body of a send (interface 4.1). */
export interface SmsRequest {
  readonly to: string;
  readonly body: string;
  readonly senderId?: string | undefined;
  readonly route: SmsRoute;
  readonly contactId?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly trackLinks?: boolean | undefined;
}

export type SentSmsView = ReturnType<typeof sentSmsView>;
export type SendRefusal = Refusal<
  | 'CONFLICT'
  | 'DEPENDENCY_FAILED'
  | 'PAYMENT_REQUIRED'
  | 'PRECONDITION_FAILED'
  | 'RATE_LIMITED'
  | 'SERVICE_UNAVAILABLE'
  | 'VALIDATION_ERROR'
>;

/** Links that one text may have shortened: each is a row of the reservation, and a transaction holds 100. */
const MAX_LINKS = 50;
/** Quotes that a moving volume may spoil before a reservation holds. */
const QUOTE_TRIES = 10;

/** What makes two requests the same: the operation and the body, whatever the order of its fields. */
export const requestHash = (operation: string, body: unknown): string =>
  createHash('sha256')
    .update(operation)
    .update('\n')
    .update(JSON.stringify(canonical(body)))
    .digest('base64url');

interface Draft {
  readonly message: Omit<MessageRecord, 'coins' | 'decisions'>;
  readonly links: readonly { code: string; url: string }[];
}

/** A short code tells its stage by its first letter, since a link carries no credential. */
const linkCode = (env: Actor['env']): string => `${env === 'test' ? 't' : 'l'}${randomBase62(9)}`;

const draft = async (
  ports: SmsPorts,
  actor: Actor,
  callerKey: string,
  to: string,
  request: SmsRequest,
): Promise<Draft> => {
  const { organizationId, env } = actor;
  const now = ports.clock();
  const links: { code: string; url: string }[] = [];
  const shorten = (url: string) => {
    const code = linkCode(env);
    links.push({ code, url });
    return `${ports.publicUrl}/r/${code}`;
  };
  const prepared = prepareText(request.trackLinks ? replaceLinks(request.body, shorten).text : request.body);
  return {
    links,
    message: {
      id: newId('message'),
      organizationId,
      env,
      channel: 'sms',
      direction: 'outbound',
      type: 'text',
      priority: 'normal',
      status: 'sending',
      to,
      toHash: await ports.hashPhone(organizationId, to),
      region: phoneRegion(to),
      route: request.route as MessageRecord['route'],
      provider: 'sandbox_provider',
      senderId: request.senderId,
      encoding: prepared.encoding,
      length: prepared.length,
      segments: prepared.segments,
      payload: { text: prepared.text },
      contactId: request.contactId as Id<'contact'> | undefined,
      campaignId: request.campaignId,
      metadata: request.metadata,
      hold: 'open',
      fence: 1,
      deadline: now + ports.sendDeadlineMs,
      callerKey,
      attempts: 1,
      createdAt: now,
      updatedAt: now,
    },
  };
};

/** What was decided before the provider is asked, as one entry of terms: each entry is written and read with the row at every step. */
const decisionsOf = (request: SmsRequest, quote: SmsQuote, at: number): Decision[] => {
  const contact = request.contactId ? 'named' : 'by-recipient';
  const consent = request.route === 'otp' ? 'not-needed' : 'no-opt-out';
  return [
    {
      at,
      kind: 'accepted',
      detail: `contact=${contact} consent=${consent} band=${quote.band.index}`,
      coins: quote.coins,
    },
  ];
};

const reservationOf = (
  actor: Actor,
  request: SmsRequest,
  { message, links }: Draft,
  quote: SmsQuote,
  hash: string,
  perSecond: number | undefined,
): Reservation => ({
  message: { ...message, coins: quote.coins, decisions: decisionsOf(request, quote, message.createdAt) },
  requestHash: hash,
  ...(actor.env === 'live'
    ? { volume: { month: quote.month, units: message.segments, from: quote.volumeFrom, to: quote.volumeTo } }
    : {}),
  consent: {
    ...(message.contactId ? { contactId: message.contactId } : {}),
    toHash: message.toHash,
    mayOptOut: request.route !== 'otp',
  },
  ...(perSecond === undefined ? {} : { perSecond }),
  links,
});

const inFlight = (message: MessageRecord, now: number) =>
  refuse('CONFLICT', {
    detail: 'The first request with this key is still running.',
    meta: { code: 'EM_ANDAMENTO', messageId: message.id },
    retryAfterSeconds: Math.max(1, Math.ceil((message.deadline - now) / 1000)),
  });

/** Answers a repeated key: the first answer, or why there is none (interface 4.1, rule 1; decisions, part 3). */
const replay = async (
  ports: SmsPorts,
  promise: KeptPromise,
  hash: string,
  unmasked: boolean,
): Promise<SentSmsView | SendRefusal | undefined> => {
  if (promise.requestHash !== hash) return refuse('CONFLICT', 'This Idempotency-Key was used with another body.');
  const first = await ports.journal.read(promise.messageId);
  if (!first) return undefined;
  if (first.hold === 'captured') return sentSmsView(first, unmasked, true);
  if (first.hold === 'open') return inFlight(first, ports.clock());
  return refuse('DEPENDENCY_FAILED', {
    detail: 'It could not be learned whether the provider sent the message; it was not charged.',
    meta: { messageId: first.id, reason: first.reason ?? 'indeterminate' },
  });
};

const unpriced = async (
  ports: SmsPorts,
  actor: Actor,
  key: string,
  hash: string,
  refusal: Refusal<'PRECONDITION_FAILED'>,
) => {
  const promise = await ports.promise(actor.organizationId, key, ports.clock());
  return promise && promise.requestHash !== hash
    ? refuse('CONFLICT', 'This Idempotency-Key was used with another body.')
    : refusal;
};

type Reserved = { readonly message: MessageRecord } | { readonly answer: SentSmsView | SendRefusal };

const refusalOf = async (
  ports: SmsPorts,
  actor: Actor,
  kind: 'opted_out' | 'unknown_contact' | 'ceiling' | 'insufficient',
): Promise<SendRefusal> => {
  switch (kind) {
    case 'opted_out':
      return refuse('VALIDATION_ERROR', { detail: 'The contact opted out.', meta: { motivo: 'opt_out' } });
    case 'unknown_contact':
      return refuse('VALIDATION_ERROR', {
        detail: 'The contact does not exist.',
        errors: [{ path: 'contactId', message: 'is no contact of the organization' }],
      });
    case 'ceiling':
      return refuse('RATE_LIMITED', { detail: "The account's SMS per second are used up.", retryAfterSeconds: 1 });
    case 'insufficient':
      await ports.noteDepleted(actor.organizationId, actor.env);
      return refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the message.');
  }
};

const reserveSend = async (
  ports: SmsPorts,
  actor: Actor,
  request: SmsRequest,
  row: PriceRow,
  drafted: Draft,
  hash: string,
): Promise<Reserved> => {
  const { organizationId, env } = actor;
  const { smsPerSecond } = await ports.account(organizationId);
  for (let turn = 0; turn < QUOTE_TRIES; turn++) {
    const quote = await quoteSms(ports, organizationId, env, row, drafted.message.segments);
    const reservation = reservationOf(actor, request, drafted, quote, hash, smsPerSecond);
    const outcome = await ports.journal.reserve(reservation);
    switch (outcome.kind) {
      case 'reserved':
        return { message: reservation.message };
      case 'volume_moved':
        ports.learnVolume(organizationId, quote.month, outcome.volume);
        continue;
      case 'kept': {
        const answer = await replay(ports, outcome.promise, hash, actor.scopes.has('pii:full'));
        if (answer) return { answer };
        continue;
      }
      default:
        return { answer: await refusalOf(ports, actor, outcome.kind) };
    }
  }
  return {
    answer: refuse('SERVICE_UNAVAILABLE', {
      detail: 'The volume moves too fast to be priced; try again.',
      retryAfterSeconds: 1,
    }),
  };
};

/**
 * Sends an SMS (interface 4.1). One transaction reserves key, money and message; then the provider is called; then one
 * transaction captures or releases. Whatever happens in between, the message is sent at most once and charged only if it was.
 */
export const sendSms = async (
  ports: SmsPorts,
  actor: Actor,
  callerKey: string,
  request: SmsRequest,
): Promise<SentSmsView | SendRefusal> => {
  const to = parsePhone(request.to);
  if (!to)
    return refuse('VALIDATION_ERROR', {
      detail: 'The recipient is no phone number.',
      errors: [{ path: 'to', message: 'must be an existing number in E.164' }],
    });
  const hash = requestHash('sms.send', request);
  const row = await smsPriceRow(ports, request.route);
  const answer = isRefusal(row)
    ? await unpriced(ports, actor, callerKey, hash, row)
    : await sendPriced(ports, actor, callerKey, to, request, row, hash);
  if (isRefusal(answer)) ports.observe.sent(answer.name, { organizationId: actor.organizationId });
  return answer;
};

const sendPriced = async (
  ports: SmsPorts,
  actor: Actor,
  callerKey: string,
  to: string,
  request: SmsRequest,
  row: PriceRow,
  hash: string,
) => {
  const drafted = await draft(ports, actor, callerKey, to, request);
  if (drafted.links.length > MAX_LINKS)
    return refuse('VALIDATION_ERROR', {
      detail: 'The body has too many links to track.',
      errors: [{ path: 'body', message: `must have at most ${MAX_LINKS} links when trackLinks is true` }],
    });
  const candidates = await ports.routing.candidates(actor.organizationId, actor.env, request.route);
  const first = candidates.kind === 'ready' ? candidates.providers[0]?.name : undefined;
  const reserved = await reserveSend(
    ports,
    actor,
    request,
    row,
    first ? { ...drafted, message: { ...drafted.message, provider: first } } : drafted,
    hash,
  );
  if ('answer' in reserved) return reserved.answer;
  const sent = await dispatchSms(ports, reserved.message, candidates);
  return isRefusal(sent) ? sent : sentSmsView(sent, actor.scopes.has('pii:full'), false);
};
