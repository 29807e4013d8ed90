import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { CallbackRequest } from '../../shared/domain/message/provider-port.ts';
import { listening } from '../support/loopback.ts';
import { accepted, CHANNEL_KITS, NOW, open, REGISTERED, UNDER_TEST } from '../support/providers/kit.ts';
import {
  type AcceptedMessage,
  deliver,
  type Play,
  type StandIn,
  THROTTLED_SECONDS,
} from '../support/providers/stand-in.ts';
import { use } from '../support/use.ts';
import { AMBIGUOUS, events, expectNoPersonalData } from './shared.ts';

/** For providers that never answer; all others may take as long as a slow machine needs. */
const TIMEOUT_MS = 600;
const isSilent = (play: Play) => play === 'hang' || play === 'accept_and_hang';

/** Forged callbacks, made from a signed one. */
const FORGERIES: Readonly<Record<string, (signed: CallbackRequest) => CallbackRequest>> = {
  'a body altered after signing': (signed) => ({ ...signed, body: signed.body.replace('5511', '5512') }),
  'no signature at all': ({ url, headers, body }) => ({
    url,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'content-type')),
    body: body.replace(/"Signature":"[^"]*"/, '"Signature":""'),
  }),
  'a signature of the right form by another key': (signed) => ({
    ...signed,
    headers: Object.fromEntries(
      Object.entries(signed.headers).map(([name, value]) => [
        name,
        /signature(-256)?$/.test(name) ? swapped(value) : value,
      ]),
    ),
    body: signed.body.replace(/"Signature":"([^"]*)"/, (_, value: string) => `"Signature":"${swapped(value)}"`),
  }),
};
/** Another value of the same form: its first character is changed, after the name of the method where it has one. */
const swapped = (value: string) =>
  value.replace(/^(sha256=)?(.)/, (_, method: string | undefined, first: string) => {
    const other = first === 'A' ? 'B' : first === 'a' ? 'b' : 'a';
    return (method ?? '') + other;
  });

const replyOf = (standIn: StandIn, message: AcceptedMessage, body: string): CallbackRequest => {
  const callback = standIn.reply?.(message, body);
  if (!callback) throw new Error(`${standIn.provider} has no replies`);
  return callback;
};
const addressOf = ({ channel, name }: { channel: string; name: string }) => `${channel}/${name}`;

it('every registered provider is tested by this suite', () => {
  expect(REGISTERED.map(addressOf).sort()).toEqual(UNDER_TEST.map(addressOf).sort());
});

describe.each(UNDER_TEST.map((each) => [addressOf(each), each] as const))('%s', async (_, underTest) => {
  const { channel, name, refusals, wrongCredentials, replies } = underTest;
  const kit = CHANNEL_KITS[channel];
  if (!kit) throw new Error(`the kit knows no ${channel}`);
  const { dispatch, exact, outcomes } = kit;
  const someOutcome = 'delivered' in outcomes ? 'delivered' : (Object.keys(outcomes)[0] ?? '');
  const referenceOf = ({ messageId }: { messageId: string }) => (underTest.unreferenced ? {} : { messageId });
  const start = () => underTest.start(() => NOW);
  const standIn = await use(start());
  const provider = open(channel, name, standIn.settings);
  const message = await accepted(standIn, provider, dispatch());

  const refused = async (play: Play) => {
    standIn.script(play);
    const patience = isSilent(play) ? { timeoutMs: TIMEOUT_MS } : {};
    return open(channel, name, { ...standIn.settings, ...patience }).send(dispatch());
  };
  it('names itself as it is registered', () => expect(provider.name).toBe(name));

  it('has its receipts wait for their message exactly where they do not repeat our reference', () =>
    expect(provider.namesOwnIdOnly).toBe(underTest.unreferenced));

  it.each(exact)('sends once, unchanged, and returns the provider’s id: $what', async ({ content, carried }) => {
    const before = standIn.messages.length;
    const sent = dispatch({ content });
    const answer = await provider.send(sent);
    const [found, ...more] = standIn.messages.slice(before);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ ...referenceOf(sent), to: sent.to, ...carried });
    expect(answer).toEqual({ kind: 'accepted', providerMessageId: found?.providerMessageId });
  });

  describe.each(Object.entries(refusals))('a refusal by cause: %s', (cause, codes) => {
    it.each(codes)('%s is certain and carries neither recipient nor content', async (code) => {
      const before = standIn.messages.length;
      const answer = await refused({ refuse: code });
      expect(answer).toMatchObject({ kind: 'refused', cause });
      expect(standIn.messages.length).toBe(before);
      expectNoPersonalData(answer);
    });
  });

  it('passes on the time that a throttled caller must wait', async () => {
    expect(await refused('throttle')).toMatchObject({
      kind: 'refused',
      cause: 'throttled',
      retryAfterSeconds: THROTTLED_SECONDS,
    });
  });

  it('is refused for credentials that the provider does not know', async () => {
    const stranger = open(channel, name, { ...standIn.settings, ...wrongCredentials });
    expect(await stranger.send(dispatch())).toMatchObject({ kind: 'refused', cause: 'credentials' });
  });

  it.each(AMBIGUOUS)('calls an ambiguous answer unknown and sends one request only: %s', async (play) => {
    const before = standIn.requests.length;
    const answer = await refused(play);
    expect(answer).toMatchObject({ kind: 'unknown' });
    expectNoPersonalData(answer);
    expect(standIn.requests.length).toBe(before + 1);
  });

  it('ends within the timeout of its settings', async () => {
    const began = performance.now();
    await refused('hang');
    // Without a setting it would be 10 s.
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('reports that nothing was sent if nothing is listening', async () => {
    const closed = await start();
    await closed.close();
    const answer = await open(channel, name, closed.settings).send(dispatch());
    expect(answer).toMatchObject({ kind: 'refused', cause: 'unavailable' });
  });

  it.each(Object.entries(outcomes))('reads a signed receipt: %s', async (outcome, meaning) => {
    const kept = kit.receipt?.(message);
    expect(await provider.readCallback(standIn.receipt(message, outcome))).toMatchObject(
      events({
        kind: 'receipt',
        ...referenceOf(message),
        providerMessageId: message.providerMessageId,
        ...meaning,
        ...(kept ? { receipt: kept } : {}),
      }),
    );
  });

  it.each(Object.keys(outcomes))('reads the same receipt twice as the same: %s', async (outcome) => {
    const callback = standIn.receipt(message, outcome);
    expect(await provider.readCallback(callback)).toEqual(await provider.readCallback(callback));
  });

  it('reads each receipt alike, whichever came before', async () => {
    const callbacks = Object.keys(outcomes).map((outcome) => standIn.receipt(message, outcome));
    const read = async (inOrder: readonly CallbackRequest[]) => {
      const readings = [];
      for (const callback of inOrder) readings.push(await provider.readCallback(callback));
      return readings;
    };
    expect((await read(callbacks.toReversed())).toReversed()).toEqual(await read(callbacks));
  });

  if (replies)
    it('reads a repeated reply as the same', async () => {
      const callback = replyOf(standIn, message, 'SIM, até amanhã & obrigado + 1');
      const reading = await provider.readCallback(callback);
      expect(reading).toMatchObject(
        events({ kind: 'reply', from: message.to, body: 'SIM, até amanhã & obrigado + 1' }),
      );
      expect(await provider.readCallback(callback)).toEqual(reading);
    });

  const { replyParts } = standIn;
  if (replyParts)
    it('reads the parts of a reply as parts of one message, and a repeated one as the same', async () => {
      const read = () => Promise.all(replyParts(message, ['Sim, ', 'é 😀']).map((part) => provider.readCallback(part)));
      const of = { kind: 'reply_part', from: message.to, reference: '8-77', total: 2 };
      const [first, second] = [events({ ...of, number: 1, coding: 0 }), events({ ...of, number: 2, coding: 8 })];
      expect(await read()).toMatchObject([first, second]);
      expect(await read()).toEqual(await read());
    });

  describe.each(replies ? (['receipt', 'reply'] as const) : (['receipt'] as const))('a forged %s', (kind) => {
    it.each(Object.entries(FORGERIES))('is refused: %s', async (_, forge) => {
      const signed = kind === 'receipt' ? standIn.receipt(message, someOutcome) : replyOf(standIn, message, 'SIM');
      expect((await provider.readCallback(signed)).kind).toBe('events');
      const forged = forge(signed);
      expect(forged).not.toEqual(signed);
      expect(await provider.readCallback(forged)).toMatchObject({ kind: 'forged' });
    });
  });

  it.each(['', '{}', '[]', 'null', '{"results":[{}]}', '{"eventType":1}', 'MessageSid=', 'Olá'])(
    'calls a signed body of an unknown form malformed: %j',
    async (body) => {
      expect(await provider.readCallback(standIn.signed(message, body))).toMatchObject({ kind: 'malformed' });
    },
  );

  it('reads a callback received over HTTP', async () => {
    const received: Omit<CallbackRequest, 'url'>[] = [];
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const headers = Object.entries(request.headers).map(([header, value]) => [header, String(value)]);
      received.push({ headers: Object.fromEntries(headers), body: await text(request) });
      response.end();
    };
    const endpoint = await listening(createServer((request, response) => void serve(request, response)));
    const callback = standIn.receipt(message, someOutcome);
    await deliver({ ...callback, url: endpoint.url });
    await endpoint.close();
    const [posted] = received;
    expect(posted && (await provider.readCallback({ ...posted, url: callback.url }))).toMatchObject({ kind: 'events' });
  });

  it('never throws on an unsigned post', async () => {
    const bodies = ['', '\u0000', '{"Type":"Notification"}', '%E0%A4%A', '{"__proto__":{"a":1}}', '['.repeat(5_000)];
    for (const body of bodies)
      for (const url of ['https://callbacks.test/x', 'no address']) {
        const { kind } = await provider.readCallback({ url, headers: {}, body });
        expect(['forged', 'malformed']).toContain(kind);
      }
  });
});
