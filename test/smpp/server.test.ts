import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, it, vi } from 'vitest';
import { startSmppServer } from '../../infra/local/smpp-server.ts';
import type { SmppStages } from '../../infra/local/smpp-stages.ts';
import { KEEP_BIND_MS } from '../../shared/domain/smpp/bind.ts';
import type { PduOf } from '../../shared/smpp/pdus.ts';
import { tlv, tlvValue } from '../../shared/smpp/tlvs.ts';
import { PATIENCE } from '../support/patience.ts';
import { peerOf } from './kit.ts';

afterEach(() => {
  vi.useRealTimers();
});

const ACCOUNT = { id: 'smpp_1', organizationId: 'org_1', route: 'premium', window: 2, dlrFormat: 'minutes' };
const SLOT = { accountId: 'smpp_1', slot: 0, bindId: 'bind-1' };
type Answers = Partial<Record<string, (event: never) => unknown>>;

const serverOf = async (answers: Answers = {}) => {
  const calls: [stage: string, name: string, event: unknown][] = [];
  const faults: string[] = [];
  const stages: SmppStages = {
    async invoke(stage, name, event) {
      calls.push([stage, name, event]);
      const answer = answers[name];
      if (answer) return answer(event as never);
      if (name === 'waiting') return [];
      return name === 'bind' ? { kind: 'bound', account: ACCOUNT, slot: SLOT } : undefined;
    },
    onFault: (where) => faults.push(where),
  };
  const server = await startSmppServer({ port: 0, host: '127.0.0.1' }, stages);
  const bound = async (systemId = 'test_1') => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const peer = peerOf(socket);
    peer.send('bind_transceiver', { systemId, password: 'password' });
    await expect.poll(peer.log, PATIENCE).toEqual(['bind_transceiver_resp ESME_ROK']);
    peer.read.length = 0;
    return { socket, peer };
  };
  return { server, bound, calls, faults, named: (name: string) => calls.filter(([, each]) => each === name) };
};

it('a bind goes to the stage of its system_id, with the address of the peer, and is freed once it ends', async () => {
  const { server, bound, named } = await serverOf();
  let ended = 0;
  for (const [systemId, stage] of [
    ['live_1', 'live'],
    ['test_1', 'test'],
    ['other', 'test'],
  ]) {
    const { socket } = await bound(systemId);
    expect(named('bind').at(-1)).toEqual([stage, 'bind', expect.objectContaining({ systemId, address: '127.0.0.1' })]);
    socket.destroy();
    ended += 1;
    await vi.waitFor(() => expect(named('free')).toHaveLength(ended), PATIENCE);
    expect(named('free').at(-1)).toEqual([stage, 'free', SLOT]);
  }
  await server.close();
});

it('a shutdown accepts no connections, answers requests in progress, sends unbind, and frees every bind', async () => {
  let answer = (): void => {};
  const submit = () => new Promise((resolve) => (answer = () => resolve({ kind: 'sent', messageId: 'msg_1' })));
  const { server, bound, named } = await serverOf({ submit });
  const [one, other] = [await bound(), await bound()];
  one.peer.send('submit_sm', { destAddrTon: 1, destinationAddr: '5511999990005', shortMessage: Buffer.from('Oi') });
  await vi.waitFor(() => expect(named('submit')).toHaveLength(1), PATIENCE);
  const closed = server.close();
  await vi.waitFor(() => expect(other.peer.log()).toEqual(['unbind ESME_ROK']), PATIENCE);
  await expect(bound()).rejects.toThrow();
  expect(one.peer.log()).toEqual([]);
  answer();
  await vi.waitFor(() => expect(one.peer.log()).toEqual(['submit_sm_resp ESME_ROK', 'unbind ESME_ROK']), PATIENCE);
  for (const { peer } of [one, other]) for (const pdu of peer.read) if (pdu.command === 'unbind') peer.answer(pdu);
  await closed;
  expect(named('free')).toHaveLength(2);
});

it('a bind is kept while its account lets it, learns what that is set to, outlives a stage that does not answer, and is unbound after it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const answers: (() => unknown)[] = [
    () => ({ ...ACCOUNT, window: 1, route: 'otp' }),
    () => {
      throw new Error('unavailable');
    },
    () => undefined,
  ];
  const { bound, named, faults } = await serverOf({
    keep: () => answers.shift()?.(),
    submit: () => new Promise(() => {}),
  });
  const { peer } = await bound();
  vi.advanceTimersByTime(KEEP_BIND_MS);
  await expect.poll(() => named('keep'), PATIENCE).toHaveLength(1);
  await new Promise((resolve) => setImmediate(resolve));
  const message = { destAddrTon: 1, destinationAddr: '5511999990005', shortMessage: Buffer.from('Oi') };
  for (let sent = 0; sent < 2; sent++) peer.send('submit_sm', message);
  await expect.poll(peer.log, PATIENCE).toEqual(['submit_sm_resp ESME_RTHROTTLED']);
  expect(named('submit')[0]?.[2]).toMatchObject({ account: { route: 'otp' } });

  vi.advanceTimersByTime(KEEP_BIND_MS);
  await expect.poll(() => faults, PATIENCE).toEqual(['smpp/keep']);
  vi.advanceTimersByTime(KEEP_BIND_MS);
  await expect.poll(peer.log, PATIENCE).toContain('unbind ESME_ROK');
  await expect.poll(() => named('free'), PATIENCE).toHaveLength(1);
  // A bind that has ended is not renewed.
  vi.advanceTimersByTime(2 * KEEP_BIND_MS);
  expect(named('keep')).toHaveLength(3);
});

it('a refusal keeps its status whatever its reason says, which is cut and spelled as the protocol can', async () => {
  const { server, bound } = await serverOf({
    submit: () => ({ kind: 'refused', status: 'sender', detail: `Não…\n${'x'.repeat(300)}` }),
  });
  const { socket, peer } = await bound();
  peer.send('data_sm', { destAddrTon: 1, destinationAddr: '5511999990005' }, [
    tlv('message_payload', Buffer.from('Oi')),
  ]);
  await vi.waitFor(() => expect(peer.log()).toEqual(['data_sm_resp sender']), PATIENCE);
  const tlvs = peer.read[0]?.tlvs ?? [];
  expect(tlvValue(tlvs, 'additional_status_info_text')).toBe(`Não??${'x'.repeat(250)}`);
  socket.destroy();
  await server.close();
});

it('a stage that fails is ESME_RSYSERR for the bind or the message, and the connection stays open', async () => {
  const fails = () => {
    throw new Error('unavailable');
  };
  let binds = 0;
  const { server, faults } = await serverOf({
    bind: () => (++binds === 1 ? fails() : { kind: 'bound', account: ACCOUNT, slot: SLOT }),
    submit: fails,
    query: fails,
  });
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  const peer = peerOf(socket);
  for (const systemId of ['test_1', 'test_1']) {
    const before = peer.read.length;
    peer.send('bind_transceiver', { systemId });
    await vi.waitFor(() => expect(peer.read.length).toBe(before + 1), PATIENCE);
  }
  peer.send('submit_sm', { destAddrTon: 1, destinationAddr: '5511999990005', shortMessage: Buffer.from('Oi') });
  peer.send('query_sm', { messageId: 'msg_1' });
  await vi.waitFor(
    () =>
      expect(peer.log()).toEqual([
        'bind_transceiver_resp ESME_RSYSERR',
        'bind_transceiver_resp ESME_ROK',
        'submit_sm_resp ESME_RSYSERR',
        'query_sm_resp ESME_RSYSERR',
      ]),
    PATIENCE,
  );
  expect(faults).toHaveLength(3);
  socket.destroy();
  await server.close();
});

it('with a certificate is served over TLS alone, knows the address of its peer, and counts the refused binds', async () => {
  const [cert, key] = ['cert', 'key'].map((kind) =>
    readFileSync(join(import.meta.dirname, `../support/smpp/loopback-test-only.${kind}.pem`), 'utf8'),
  ) as [string, string];
  const events: unknown[] = [];
  let refused = true;
  const invoke: SmppStages['invoke'] = async (_stage, name, event) => {
    if (name !== 'bind') return [];
    events.push(event);
    return refused ? { kind: 'refused', status: 'ESME_RINVPASWD' } : { kind: 'bound', account: ACCOUNT, slot: SLOT };
  };
  const at = { port: 0, host: '127.0.0.1', certificate: { cert, key } };
  const server = await startSmppServer(at, { invoke, onFault: () => {} });
  const plain = connect(server.port, '127.0.0.1');
  peerOf(plain).send('bind_transceiver', { systemId: 'test_1' });
  plain.on('error', () => {});
  await once(plain, 'close');
  expect(events).toEqual([]);

  const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: cert });
  await once(socket, 'secureConnect');
  const peer = peerOf(socket);
  peer.send('bind_transceiver', { systemId: 'test_1', password: 'password' });
  await vi.waitFor(() => expect(peer.log()).toEqual(['bind_transceiver_resp ESME_RINVPASWD']), PATIENCE);
  expect(server.counts()).toEqual({ connections: 1, binds: 0, refusedBinds: 1, notTaken: 0 });
  refused = false;
  peer.send('bind_transceiver', { systemId: 'test_1', password: 'password' });
  await vi.waitFor(() => expect(peer.log()).toContain('bind_transceiver_resp ESME_ROK'), PATIENCE);
  expect(events.at(-1)).toMatchObject({ address: '127.0.0.1' });
  expect(server.counts()).toEqual({ connections: 1, binds: 1, refusedBinds: 0, notTaken: 0 });
  const closed = server.close();
  await vi.waitFor(() => expect(peer.log()).toContain('unbind ESME_ROK'), PATIENCE);
  socket.destroy();
  await closed;
});

it('a receiver bind gets what waits for its account in the format it wants, and a transmitter bind gets nothing', async () => {
  const notice = { accountId: 'smpp_1', about: 'msg_1', position: '1' };
  const report = { id: 'msg_1', state: 2, errorCode: 0, submittedAt: 0, doneAt: 0, intermediate: false };
  const delivery = { notice, tries: 0, source: '+5511999990005', destination: '', text: 'Oi', report };
  let waits = [0];
  const { server, bound, named } = await serverOf({
    bind: () => ({ kind: 'bound', account: { ...ACCOUNT, dlrFormat: 'seconds' }, slot: SLOT }),
    waiting: () => waits.splice(0),
    take: () => ({ deliveries: [delivery], sendUntil: Date.now() + 25_000 }),
  });
  const { socket, peer } = await bound('test_1');
  await vi.waitFor(() => expect(peer.log()).toEqual(['deliver_sm ESME_ROK']), PATIENCE);
  const [pdu] = peer.read as [PduOf<'deliver_sm'>];
  expect(Buffer.from(pdu.body.shortMessage).toString('latin1')).toContain('submit date:700101000000 ');
  peer.answer(pdu);
  await vi.waitFor(() => expect(named('end')).toHaveLength(1), PATIENCE);
  expect(named('record-answer')).toEqual([['test', 'record-answer', { notice, tries: 0, taken: true }]]);
  expect(named('take')[0]?.[2]).toMatchObject({ turn: { accountId: 'smpp_1', shard: 0 } });
  socket.destroy();
  await vi.waitFor(() => expect(named('free')).toHaveLength(1), PATIENCE);
  const checks = named('waiting').length;
  waits = [0];
  const sender = connect(server.port, '127.0.0.1');
  await once(sender, 'connect');
  const transmitter = peerOf(sender);
  transmitter.send('bind_transmitter', { systemId: 'test_1' });
  await vi.waitFor(() => expect(transmitter.log()).toEqual(['bind_transmitter_resp ESME_ROK']), PATIENCE);
  // Longer than a check for waiting notices.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(named('waiting')).toHaveLength(checks);
  sender.destroy();
  await server.close();
});
