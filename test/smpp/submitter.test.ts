import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type BindNews, KeptBind, type KeptBindOptions } from '../../shared/smpp/kept-bind.ts';
import { splitText } from '../../shared/smpp/split.ts';
import { Submitter, type SubmitterOptions } from '../../shared/smpp/submitter.ts';
import { systemTimers } from '../../shared/smpp/timers.ts';
import { PATIENCE } from '../support/patience.ts';
import { textOf } from '../support/smpp/carrier-octets.ts';
import { type CarrierOptions, startCarrier } from '../support/smpp/carrier-simulator.ts';
import { manualTimers } from './kit.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const connectTo = (port: number) => async () => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};
const setUp = async (
  options: Partial<SubmitterOptions> = {},
  bindOptions: Partial<KeptBindOptions> = {},
  carrierOptions: CarrierOptions = {},
) => {
  const carrier = await startCarrier(carrierOptions);
  const news: BindNews[] = [];
  const bind = new KeptBind({
    connect: connectTo(carrier.port),
    command: 'bind_transceiver',
    body: { systemId: 'carrier-user', password: 'secret', interfaceVersion: 0x34 },
    timers: systemTimers,
    limits: {},
    retry: { firstMs: 20, maxMs: 100 },
    random: () => 1,
    deliver: async () => ({}),
    news: (one) => news.push(one),
    ...bindOptions,
  });
  const submitter = new Submitter({
    bind,
    timers: systemTimers,
    window: 10,
    perSecond: 1_000,
    throttledMs: 20,
    ...options,
  });
  ends.push(() => bind.stop(), carrier.close);
  // A message waits 2 s for a bind: the first one of a slow machine may take longer.
  if (!bindOptions.connect && !carrierOptions.password)
    await vi.waitFor(() => expect(bind.isBound).toBe(true), PATIENCE);
  return { carrier, bind, submitter, news };
};
const TO = { destAddrTon: 1, destAddrNpi: 1, destinationAddr: '5511987654321' };
const parts = (text: string) => splitText(text, 'udh', 3) ?? [];
const send = (submitter: Submitter, text = 'Oi', waitMs = 30_000) => submitter.submit(TO, parts(text), waitMs);
const kinds = (news: readonly BindNews[]) => news.map(({ kind }) => kind);

/** Timers that a test moves, and how often each delay was asked of them. */
const recordedTimers = () => {
  const clock = manualTimers();
  const delays: number[] = [];
  const after = (ms: number, work: () => void) => {
    delays.push(ms);
    return clock.timers.after(ms, work);
  };
  const requested = (ms: number) => delays.filter((delay) => delay === ms).length;
  return { clock, timers: { ...clock.timers, after }, requested };
};
/** For retries from 20 ms to 160 ms: the attempts before, the delay, and how often it was asked for until then. */
const RETRIES = [
  [1, 20, 1],
  [2, 40, 1],
  [3, 80, 1],
  [4, 160, 1],
  [5, 160, 2],
] as const;

describe('a message', () => {
  it('is accepted under the id of its response, and requests a receipt', async () => {
    const { carrier, submitter } = await setUp();
    expect(await send(submitter, 'Olá {1}')).toEqual({ kind: 'accepted', id: carrier.accepted[0]?.id });
    const [submit] = carrier.submits;
    expect(submit).toMatchObject({
      destination: { ton: 1, npi: 1, address: '5511987654321' },
      registered: 1,
      esmClass: 0,
    });
    expect(submit && textOf(submit)).toBe('Olá {1}');
  });

  it('in parts goes out in their order under one reference, and its id is that of the last, which alone has a receipt', async () => {
    const { carrier, submitter } = await setUp();
    const text = `${'a'.repeat(152)}€${'b'.repeat(200)}`;
    expect(await send(submitter, text)).toEqual({ kind: 'accepted', id: carrier.accepted[2]?.id });
    expect(carrier.submits.map(textOf).join('')).toBe(text);
    expect(carrier.submits.map(({ short }) => [...short.subarray(0, 6)])).toEqual(
      [1, 2, 3].map((at) => [5, 0, 3, 3, 3, at]),
    );
    expect(carrier.submits.map(({ registered }) => registered)).toEqual([0, 0, 1]);
  });

  it('is certainly not sent when its first part is refused, and the others are not tried', async () => {
    const { carrier, submitter } = await setUp();
    carrier.script({ status: 0x0b });
    expect(await send(submitter, 'a'.repeat(400))).toEqual({ kind: 'refused', status: 0x0b });
    expect(carrier.submits).toHaveLength(1);
  });

  it('repeats the later parts that are throttled, and is unknown when one is refused permanently', async () => {
    const { carrier, submitter } = await setUp();
    carrier.script('accept', { status: 0x58 }, { status: 0x14 });
    expect(await send(submitter, 'a'.repeat(400))).toMatchObject({ kind: 'accepted' });
    expect(carrier.accepted).toHaveLength(3);
    carrier.script('accept', { status: 0x0b });
    expect(await send(submitter, 'a'.repeat(400))).toEqual({ kind: 'unknown', why: 'partial' });
  });

  it.each([
    ['a response that is none', 'malformed', { kind: 'unknown', why: 'unreadable' }],
    ['a response without an id', 'no_id', { kind: 'unknown', why: 'no_id' }],
    ['an error that the carrier calls unknown', { status: 0xff }, { kind: 'unknown', why: 'unreadable' }],
    ['a connection that ends before the response', 'accept_and_reset', { kind: 'unknown', why: 'closed' }],
    ['generic_nack', 'nack', { kind: 'refused', status: 3 }],
    ['another refusal', { status: 0x45 }, { kind: 'refused', status: 0x45 }],
  ] as const)('%s', async (_, play, result) => {
    const { carrier, submitter } = await setUp();
    carrier.script(play);
    expect(await send(submitter)).toEqual(result);
    expect(carrier.submits).toHaveLength(1);
  });

  it('that is never answered is unknown after the time of a response, and frees its place', async () => {
    const clock = manualTimers();
    const { carrier, submitter } = await setUp({ window: 1 }, { limits: { responseMs: 50 }, timers: clock.timers });
    carrier.script('hang');
    const unanswered = send(submitter);
    await vi.waitFor(() => expect(carrier.submits).toHaveLength(1), PATIENCE);
    await clock.pass(50);
    expect(await unanswered).toEqual({ kind: 'unknown', why: 'timeout' });
    expect(await send(submitter)).toMatchObject({ kind: 'accepted' });
  });
});

describe('the window', () => {
  it('is never exceeded, and what gets no place in time was not sent', async () => {
    const { carrier, submitter } = await setUp({ window: 3 });
    carrier.script('accept_and_hang', 'accept_and_hang', 'accept_and_hang');
    const first = [send(submitter), send(submitter), send(submitter)];
    const late = send(submitter, 'late', 60);
    const patient = send(submitter, 'patient');
    expect(await late).toEqual({ kind: 'busy' });
    await vi.waitFor(() => expect(carrier.submits).toHaveLength(3), PATIENCE);
    carrier.answerHeld();
    for (const one of [...first, patient]) expect(await one).toMatchObject({ kind: 'accepted' });
    expect(carrier.submits.map(textOf)).toEqual(['Oi', 'Oi', 'Oi', 'patient']);
    expect(submitter.pending).toBe(0);
  });
});

describe('the throughput', () => {
  it('spreads messages over time, and what gets no turn in time was not sent', async () => {
    const clock = manualTimers();
    const { carrier, submitter } = await setUp({ perSecond: 20, timers: clock.timers });
    await send(submitter);
    const sent = Array.from({ length: 8 }, () => send(submitter));
    expect(await send(submitter, 'late', 100)).toEqual({ kind: 'busy' });
    // Twenty a second, two of which may come at once.
    for (let left = 7; left > 0; left--) {
      await vi.waitFor(() => expect(carrier.submits).toHaveLength(9 - left), PATIENCE);
      await clock.pass(49);
      expect(clock.waiting()).toBe(left);
      await clock.pass(1);
      expect(clock.waiting()).toBe(left - 1);
    }
    for (const one of sent) expect(await one).toMatchObject({ kind: 'accepted' });
    expect(carrier.submits.map(textOf)).not.toContain('late');
  });

  it('rests after the carrier throttled', async () => {
    const clock = manualTimers();
    const { carrier, submitter } = await setUp({ throttledMs: 300, timers: clock.timers });
    await send(submitter);
    carrier.script({ status: 0x58 });
    expect(await send(submitter)).toEqual({ kind: 'refused', status: 0x58 });
    const next = send(submitter);
    await clock.pass(299);
    expect(clock.waiting()).toBe(1);
    await clock.pass(1);
    expect(await next).toMatchObject({ kind: 'accepted' });
  });
});

describe('a kept bind', () => {
  it('is opened again after it was lost, however often, and messages wait for it', async () => {
    const clock = manualTimers();
    const { submitter, carrier, news } = await setUp({}, { timers: clock.timers });
    for (let lost = 0; lost < 3; lost++) {
      expect(await send(submitter)).toMatchObject({ kind: 'accepted' });
      carrier.drop();
      await vi.waitFor(() => expect(kinds(news).filter((kind) => kind === 'ended')).toHaveLength(lost + 1), PATIENCE);
      const waiting = send(submitter);
      await clock.pass(20 * 2 ** lost);
      expect(await waiting).toMatchObject({ kind: 'accepted' });
    }
    expect(kinds(news)).toEqual(['bound', 'ended', 'bound', 'ended', 'bound', 'ended', 'bound']);
  });

  it('is opened once the carrier can be reached again; until then nothing is sent, for certain', async () => {
    const { carrier, submitter, bind, news } = await setUp();
    await send(submitter);
    await carrier.close();
    await vi.waitFor(() => expect(kinds(news)).toContain('unreachable'), PATIENCE);
    expect(await send(submitter, 'Oi', 50)).toEqual({ kind: 'unbound' });
    const again = await startCarrier({ port: carrier.port });
    ends.push(again.close);
    expect(await bind.whenBound(PATIENCE.timeout)).toBe(true);
    expect(await send(submitter)).toMatchObject({ kind: 'accepted' });
  });

  it('reports the reason of a refused bind, and retries credentials less often than anything else', async () => {
    const { clock, timers, requested } = recordedTimers();
    const { carrier, submitter, bind, news } = await setUp(
      {},
      { timers, retry: { firstMs: 1, maxMs: 400 } },
      { password: 'another' },
    );
    const refusals = () => kinds(news).filter((kind) => kind === 'refused').length;
    await vi.waitFor(() => expect([refusals(), requested(400)]).toEqual([1, 1]), PATIENCE);
    const sent = send(submitter, 'Oi', 30);
    await clock.pass(30);
    expect(await sent).toEqual({ kind: 'unbound', status: 0x0e });
    await clock.pass(369);
    expect([refusals(), requested(1)]).toEqual([1, 0]);
    await clock.pass(1);
    await vi.waitFor(() => expect([refusals(), requested(400)]).toEqual([2, 2]), PATIENCE);
    carrier.refuseBinds(0x0d, 0);
    const bound = bind.whenBound(10_000);
    await clock.pass(400);
    await vi.waitFor(() => expect([refusals(), requested(4)]).toEqual([3, 1]), PATIENCE);
    await clock.pass(4);
    expect(await bound).toBe(true);
    expect(bind.refusal).toBeUndefined();
  });

  it('waits longer after each failed attempt, also if the carrier ends the connection immediately, and logs it', async () => {
    const { clock, timers, requested } = recordedTimers();
    const server = createServer((socket) => socket.destroy());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => server.close());
    const { port } = server.address() as { port: number };
    let attempts = 0;
    const connects = async () => {
      attempts += 1;
      return connectTo(port)();
    };
    const { news } = await setUp({}, { connect: connects, timers, retry: { firstMs: 20, maxMs: 160 } });
    for (const [before, delay, times] of RETRIES) {
      await vi.waitFor(() => expect(requested(delay)).toBe(times), PATIENCE);
      await clock.pass(delay - 1);
      expect(attempts).toBe(before);
      await clock.pass(1);
      expect(attempts).toBe(before + 1);
    }
    expect(news[0]).toEqual({ kind: 'unanswered', reason: 'closed' });
    expect(new Set(kinds(news))).toEqual(new Set(['unanswered']));
  });

  it('that is accepted and ended immediately counts as a failed attempt', async () => {
    const { clock, timers, requested } = recordedTimers();
    const { carrier, news, bind } = await setUp({}, { timers, retry: { firstMs: 20, maxMs: 160 } });
    const binds = () => kinds(news).filter((kind) => kind === 'bound').length;
    expect(await bind.whenBound(1)).toBe(true);
    for (const [before, delay, times] of RETRIES) {
      carrier.drop();
      await vi.waitFor(() => expect(requested(delay)).toBe(times), PATIENCE);
      await clock.pass(delay - 1);
      expect(binds()).toBe(before);
      await clock.pass(1);
      await vi.waitFor(() => expect(binds()).toBe(before + 1), PATIENCE);
    }
  });

  it('says that a carrier accepted the connection and never answered the bind', async () => {
    const server = createServer(() => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => server.close());
    const { port } = server.address() as { port: number };
    const { news } = await setUp({}, { connect: connectTo(port), limits: { bindMs: 40 } });
    await vi.waitFor(() => expect(news.length).toBeGreaterThan(1), PATIENCE);
    expect(new Set(kinds(news))).toEqual(new Set(['unanswered']));
  });

  it('sends an enquire_link to a silent carrier', async () => {
    const { carrier, submitter } = await setUp({}, { limits: { enquireMs: 40 } });
    await send(submitter);
    await vi.waitFor(() => expect(carrier.log()).toContain('15 0'), PATIENCE);
  });

  it('that is stopped says unbind, and is not opened again', async () => {
    const { carrier, bind, submitter, news } = await setUp();
    await send(submitter);
    await bind.stop();
    expect(carrier.log()).toContain('6 0');
    expect(await send(submitter, 'Oi', 100)).toEqual({ kind: 'unbound' });
    expect(kinds(news)).toEqual(['bound', 'ended']);
    expect(carrier.connections()).toBe(1);
  });
});
