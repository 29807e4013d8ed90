import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type CallbackKind, type CallbackProvider, channelOf } from '../../contracts/callbacks.ts';
import { isRefusal } from '../../domain/errors.ts';
import { applyPreference } from '../../domain/inbound/preferences.ts';
import { receiveInbound } from '../../domain/inbound/receive.ts';
import { answerChallenge, type CallbackPorts, callbackUrl, takeCallback } from '../../domain/messages/callbacks.ts';
import { applyPlatformEvent } from '../../domain/numbers/platform-events.ts';
import { engagedWrite } from '../../storage/engagement.ts';
import { eventHint, eventWrite } from '../../storage/outbox.ts';
import { receiptHint, receiptStore } from '../../storage/receipts.ts';
import { measure } from '../observe.ts';
import { note } from '../scope.ts';
import { flowPorts } from './flows.ts';
import { inboundPorts, preferencePorts, replyPorts } from './inbound.ts';
import { templatePorts } from './numbers.ts';
import { publishDue, settings, table } from './platform.ts';
import { ownersOf } from './platform-accounts.ts';
import { sendPorts } from './send.ts';

const receipts = receiptStore(table);

const ports: CallbackPorts = {
  ...replyPorts,
  routing: sendPorts.routing,
  park: receipts.park,
  hintReceipt: ({ messageId, fingerprint }) => publishDue([receiptHint(messageId, fingerprint)]),
  raise: async (event, engaged) => {
    const once = { ...eventWrite(event), when: { text: 'attribute_not_exists(#pk)' } };
    const counted = engaged && engagedWrite(engaged.messageId, engaged.what, engaged.at);
    const { ok } = counted ? await table.transact([once, counted]) : await table.write(once);
    if (ok) publishDue([eventHint(event.id)]);
    return ok;
  },
  ownersOf,
  inbound: (tenant, event) => receiveInbound(inboundPorts, tenant, event),
  platform: (tenant, event) =>
    event.about === 'preference'
      ? applyPreference(preferencePorts, tenant, event)
      : applyPlatformEvent({ ...templatePorts, ...flowPorts }, tenant, event),
  observe: {
    taken: (provider, kind, effect, count) => measure({ provider, kind, effect }, { Callbacks: count }),
    refused: (provider, cause, detail) => {
      measure({ provider, cause }, { RefusedCallbacks: 1 });
      note({ provider, cause, detail });
    },
    ignored: (provider, fields) => note({ provider, ignored: fields.join(',') }),
  },
};

const lowerCase = (headers: APIGatewayProxyEvent['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), value]],
    ),
  );

interface Answer {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}
/** What a provider wants to read; nothing, where it is not listed. Twilio takes the answer to a reply for instructions: these are none. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'twilio/replies': {
    body: '<?xml version="1.0" encoding="UTF-8"?><Response/>',
    headers: { 'content-type': 'text/xml; charset=utf-8' },
  },
};

/** Takes a callback as the gateway hands it over; `body` is its exact text. */
export const receiveCallback = async (
  address: { provider: CallbackProvider; kind: CallbackKind },
  body: string,
  event: APIGatewayProxyEvent,
) => {
  const url = callbackUrl(settings.PUBLIC_URL, address, event.multiValueQueryStringParameters);
  const taken = await takeCallback(
    ports,
    { channel: channelOf(address), provider: address.provider },
    { url, headers: lowerCase(event.headers), body },
  );
  if (isRefusal(taken)) return taken;
  return ANSWERS[`${address.provider}/${address.kind}`] ?? { body: '' };
};

/** Answers a platform that asks whether the address of its callbacks is ours. */
export const verifyCallback = (
  address: { provider: CallbackProvider; kind: CallbackKind },
  query: Readonly<Record<string, string>>,
) => answerChallenge(ports, { channel: channelOf(address), provider: address.provider }, query);
