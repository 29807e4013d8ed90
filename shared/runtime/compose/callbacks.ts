import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type CallbackKind, type CallbackProvider, channelOf } from '../../contracts/callbacks.ts';
import { isRefusal } from '../../domain/errors.ts';
import { type CallbackPorts, callbackUrl, takeCallback } from '../../domain/messages/callbacks.ts';
import { eventHint, eventWrite } from '../../storage/outbox.ts';
import { receiptHint, receiptStore } from '../../storage/receipts.ts';
import { keepReply } from '../../storage/replies.ts';
import { measure } from '../observe.ts';
import { note } from '../scope.ts';
import { publishDue, settings, table } from './platform.ts';
import { sendPorts } from './send.ts';

const receipts = receiptStore(table);

const ports: CallbackPorts = {
  clock: sendPorts.clock,
  prices: sendPorts.prices,
  journal: sendPorts.journal,
  hashRecipient: sendPorts.hashRecipient,
  routing: sendPorts.routing,
  correlate: receipts.correlate,
  park: receipts.park,
  hintReceipt: ({ messageId, fingerprint }) => publishDue([receiptHint(messageId, fingerprint)]),
  raise: async (event) => {
    const { ok } = await table.write({ ...eventWrite(event), when: { text: 'attribute_not_exists(#pk)' } });
    if (ok) publishDue([eventHint(event.id)]);
    return ok;
  },
  keep: async (reply, event) => {
    const raised = await keepReply(table, reply, event);
    if (raised) publishDue(raised.map(eventHint));
    return raised !== undefined;
  },
  observe: {
    taken: (provider, kind, effect, count) => measure({ provider, kind, effect }, { Callbacks: count }),
    refused: (provider, cause, detail) => {
      measure({ provider, cause }, { RefusedCallbacks: 1 });
      note({ provider, cause, detail });
    },
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
