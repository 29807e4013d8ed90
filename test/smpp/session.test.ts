import { describe, expect, it, vi } from 'vitest';
import { pduOf } from '../../shared/smpp/codec.ts';
import type { Answer } from '../../shared/smpp/session-types.ts';
import { tlvValue } from '../../shared/smpp/tlvs.ts';
import { memorySession, turns } from './kit.ts';

/** Requests that wait until the test answers them. */
const held = () => {
  const waiting: ((answer: Answer) => void)[] = [];
  return { waiting, request: () => new Promise<Answer>((resolve) => waiting.push(resolve)) };
};
const bound = async (...setup: Parameters<typeof memorySession>) => {
  const all = memorySession(...setup);
  all.peer.send('bind_transceiver', { systemId: 'client', interfaceVersion: 0x34 });
  await turns();
  all.peer.read.length = 0;
  return all;
};

describe('a bind', () => {
  it.each([
    ['bind_transmitter', 'transmitter', false],
    ['bind_receiver', 'receiver', true],
    ['bind_transceiver', 'transceiver', true],
  ] as const)('%s makes the session a %s', async (command, state, isReceiver) => {
    const { session, peer } = memorySession();
    peer.send(command, { systemId: 'client', interfaceVersion: 0x34 });
    await turns();
    expect(peer.read[0]).toMatchObject({ command: `${command}_resp`, status: 0, body: { systemId: 'smsc' } });
    expect(tlvValue(peer.read[0]?.tlvs ?? [], 'sc_interface_version')).toBe(0x34);
    expect([session.state, session.isReceiver]).toEqual([state, isReceiver]);
  });

  it('of SMPP 3.3 is answered without optional parameters', async () => {
    const { peer } = memorySession();
    peer.send('bind_receiver', { interfaceVersion: 0x33 });
    await turns();
    expect(peer.read[0]?.tlvs).toEqual([]);
  });

  it('that is refused leaves the connection open for another, and a second one is ESME_RALYBND', async () => {
    const answers = ['ESME_RINVPASWD', 'ESME_ROK'] as const;
    let requested = 0;
    const { session, peer } = memorySession({
      bind: async () => ({ status: answers[requested++] ?? 'ESME_RSYSERR', systemId: 'smsc' }),
    });
    for (let bind = 0; bind < 3; bind++) {
      peer.send('bind_transceiver');
      await turns();
    }
    expect(peer.log()).toEqual([
      'bind_transceiver_resp ESME_RINVPASWD',
      'bind_transceiver_resp ESME_ROK',
      'bind_transceiver_resp ESME_RALYBND',
    ]);
    expect([session.state, requested]).toEqual(['transceiver', 2]);
  });

  it('that is still being checked is not started twice', async () => {
    const bind = vi.fn(() => new Promise<never>(() => {}));
    const { peer } = memorySession({ bind });
    peer.send('bind_transmitter');
    peer.send('bind_transmitter');
    await turns();
    expect(bind).toHaveBeenCalledTimes(1);
    expect(peer.log()).toEqual(['bind_transmitter_resp ESME_RALYBND']);
  });

  it('gives back what it took once: at the end, when it is refused, and when the connection went before the answer', async () => {
    const release = vi.fn();
    const ended = await bound({ bind: async () => ({ status: 'ESME_ROK', systemId: 'smsc', release }) });
    ended.peer.send('unbind');
    await turns();
    ended.far.destroy();
    await turns();
    expect(release).toHaveBeenCalledTimes(1);

    let answer = (): void => {};
    const late = memorySession({
      bind: () => new Promise((resolve) => (answer = () => resolve({ status: 'ESME_ROK', systemId: 'smsc', release }))),
    });
    late.peer.send('bind_transceiver');
    await turns();
    late.near.destroy();
    await turns();
    answer();
    await turns();
    expect([release.mock.calls.length, late.session.state]).toEqual([2, 'closed']);

    const refused = memorySession({ bind: async () => ({ status: 'ESME_RBINDFAIL', systemId: '', release }) });
    refused.peer.send('bind_transceiver');
    await turns();
    expect(release).toHaveBeenCalledTimes(3);
  });

  it('that does not come within 10 s closes the connection; one that came keeps it', async () => {
    const without = memorySession();
    await without.clock.pass(9_999);
    expect(without.closed).toEqual([]);
    await without.clock.pass(1);
    expect(without.closed).toEqual(['not_bound']);
    const { clock, closed } = await bound();
    await clock.pass(29_000);
    expect(closed).toEqual([]);
  });
});

describe('a request', () => {
  it('is refused with ESME_RINVBNDSTS where the bind does not allow it, and with ESME_RINVCMDID where no bind does', async () => {
    const request = vi.fn(async () => ({}));
    const { peer } = memorySession({ request });
    peer.send('submit_sm');
    peer.send('bind_receiver');
    await turns();
    for (const command of ['submit_sm', 'data_sm', 'query_sm', 'cancel_sm', 'deliver_sm'] as const) peer.send(command);
    await turns();
    expect(peer.log()).toEqual([
      'submit_sm_resp ESME_RINVBNDSTS',
      'bind_receiver_resp ESME_ROK',
      ...['submit_sm', 'data_sm', 'query_sm', 'cancel_sm'].map((command) => `${command}_resp ESME_RINVBNDSTS`),
      'generic_nack ESME_RINVCMDID',
    ]);
    expect(request).not.toHaveBeenCalled();
  });

  it('is answered under its own sequence number, in whichever order the answers come', async () => {
    const { waiting, request } = held();
    const { peer } = await bound({ request });
    const sequences = [peer.send('submit_sm'), peer.send('submit_sm')];
    await turns();
    waiting[1]?.({ body: { messageId: 'second' } });
    await turns();
    waiting[0]?.({ body: { messageId: 'first' } });
    await turns();
    expect(peer.read.map(({ sequence, body }) => [sequence, body])).toEqual([
      [sequences[1], { messageId: 'second' }],
      [sequences[0], { messageId: 'first' }],
    ]);
  });

  it('above the window is answered ESME_RTHROTTLED immediately, and there is room again after a response', async () => {
    const { waiting, request } = held();
    const { peer } = await bound({ request, bind: async () => ({ status: 'ESME_ROK', systemId: 'smsc', window: 2 }) });
    for (let sent = 0; sent < 3; sent++) peer.send('submit_sm');
    await turns();
    expect([waiting.length, peer.log()]).toEqual([2, ['submit_sm_resp ESME_RTHROTTLED']]);
    waiting[0]?.({});
    await turns();
    peer.send('submit_sm');
    await turns();
    expect(waiting.length).toBe(3);
  });

  it('whose handler fails, or answers what no PDU holds, is ESME_RSYSERR, and the next is served', async () => {
    const failed = vi.fn();
    const answers: (() => Answer)[] = [
      () => {
        throw new Error('fault');
      },
      () => ({ body: { messageId: 'm'.repeat(65) } }),
      () => ({ body: { messageId: 'msg_1' } }),
    ];
    const { peer } = await bound({ failed, request: async () => answers.shift()?.() ?? {} });
    for (let sent = 0; sent < 3; sent++) {
      peer.send('submit_sm');
      await turns();
    }
    expect(peer.log()).toEqual([
      'submit_sm_resp ESME_RSYSERR',
      'submit_sm_resp ESME_RSYSERR',
      'submit_sm_resp ESME_ROK',
    ]);
    expect(failed).toHaveBeenCalledTimes(2);
  });

  it('that is broken is refused by its own response, an unknown one by generic_nack, a broken response by nothing', async () => {
    const { peer } = await bound();
    const bytes = (id: number, body = '') => {
      const header = Buffer.from('00000000000000000000000000000007', 'hex');
      header.writeUInt32BE(16 + body.length, 0);
      header.writeUInt32BE(id, 4);
      return Buffer.concat([header, Buffer.from(body, 'latin1')]);
    };
    for (const one of [bytes(4, 'abcdef\0'), bytes(0x99), bytes(0x80000004), bytes(0x80000099)]) peer.write(one);
    await turns();
    expect(peer.read.map(({ command, sequence, status }) => [command, sequence, status])).toEqual([
      ['submit_sm_resp', 7, 0x15],
      ['generic_nack', 7, 0x03],
    ]);
  });

  it('of a length that cannot be ends the connection with generic_nack', async () => {
    for (const length of ['0000000f', '00010001', 'ffffffff']) {
      const { peer, closed } = await bound();
      peer.write(Buffer.from(`${length}000000040000000000000001`, 'hex'));
      await turns();
      expect([peer.log(), closed]).toEqual([['generic_nack ESME_RINVCMDLEN'], ['broken']]);
    }
  });
});

describe('silence', () => {
  it('of 30 s causes an enquire_link, and of 90 s ends the connection', async () => {
    const { peer, clock, closed } = await bound();
    await clock.pass(30_000);
    expect(peer.log()).toEqual(['enquire_link ESME_ROK']);
    await clock.pass(59_000);
    expect([peer.log().length, closed]).toEqual([2, []]);
    await clock.pass(1_000);
    expect(closed).toEqual(['silent']);
    expect(clock.waiting()).toBe(1);
  });

  it('ends with any PDU, also with the answer to enquire_link, but not with bytes that are none', async () => {
    const { peer, clock, closed } = await bound();
    for (let minute = 0; minute < 5; minute++) {
      await clock.pass(60_000);
      for (const one of peer.read.splice(0)) peer.answer(one);
    }
    expect(closed).toEqual([]);
    // The start of a PDU of 256 bytes.
    for (const byte of Buffer.from('000001000000000400000000', 'hex')) {
      peer.write(Buffer.of(byte));
      await clock.pass(10_000);
    }
    expect(closed).toEqual(['silent']);
  });

  it('is no reason to refuse an enquire_link, bound or not', async () => {
    const { peer } = memorySession();
    const sequence = peer.send('enquire_link');
    await turns();
    expect(peer.read).toEqual([pduOf('enquire_link_resp', sequence)]);
  });
});

describe('unbind', () => {
  it('is answered after requests in progress, and accepts no new ones', async () => {
    const { waiting, request } = held();
    const { peer, closed } = await bound({ request });
    peer.send('submit_sm');
    peer.send('unbind');
    peer.send('submit_sm');
    await turns();
    expect(peer.log()).toEqual(['submit_sm_resp ESME_RINVBNDSTS']);
    waiting[0]?.({ body: { messageId: 'msg_1' } });
    await turns();
    expect(peer.log().slice(1)).toEqual(['submit_sm_resp ESME_ROK', 'unbind_resp ESME_ROK']);
    expect(closed).toEqual(['unbound']);
  });

  it('by the server waits for requests in progress and for its response, each at most 5 s', async () => {
    const { waiting, request } = held();
    const { session, peer, closed, clock } = await bound({ request });
    peer.send('submit_sm');
    await turns();
    const ended = session.unbind();
    await turns();
    expect(peer.log()).toEqual([]);
    waiting[0]?.({});
    await turns();
    expect(peer.log()).toEqual(['submit_sm_resp ESME_ROK', 'unbind ESME_ROK']);
    for (const one of peer.read) if (one.command === 'unbind') peer.answer(one);
    await ended;
    expect(closed).toEqual(['stopped']);

    const stuck = await bound({ request });
    stuck.peer.send('submit_sm');
    await turns();
    const cut = stuck.session.unbind();
    await stuck.clock.pass(10_000);
    await cut;
    expect([stuck.closed, stuck.peer.log()]).toEqual([['stopped'], ['unbind ESME_ROK']]);
    await clock.pass(5_000);
    expect(clock.waiting()).toBe(0);
  });

  it('ends when the peer goes meanwhile', async () => {
    const { session, peer, near, closed } = await bound({ request: () => new Promise<never>(() => {}) });
    peer.send('submit_sm');
    await turns();
    const ended = session.unbind();
    near.destroy();
    await ended;
    expect(closed).toEqual(['disconnected']);
  });
});

describe('our requests', () => {
  const limits = { sendWindow: 2, sendQueue: 1 };
  it('are at most a window without a response, and few wait; more are busy', async () => {
    const { session, peer } = await bound({}, { limits });
    const replies = Array.from({ length: 4 }, () => session.request('deliver_sm'));
    await turns();
    expect(peer.log()).toEqual(['deliver_sm ESME_ROK', 'deliver_sm ESME_ROK']);
    expect((await replies[3])?.kind).toBe('busy');
    const [first] = peer.read;
    if (first) peer.answer(first);
    await turns();
    expect(peer.read.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(await replies[0]).toMatchObject({ kind: 'response', pdu: { command: 'deliver_sm_resp', status: 0 } });
  });

  it('end by a refusal, a generic_nack, a broken response, a time-out, or the end of the session', async () => {
    const { session, peer, clock, near } = await bound();
    const replies = Array.from({ length: 5 }, () => session.request('deliver_sm'));
    await turns();
    const [refused, nacked, broken] = peer.read;
    if (refused) peer.answer(refused, 'ESME_RX_T_APPN');
    peer.write(Buffer.from(`00000010800000000000000300000${nacked?.sequence.toString(16).padStart(3, '0')}`, 'hex'));
    peer.write(Buffer.from(`00000011800000050000000000000${broken?.sequence.toString(16).padStart(3, '0')}41`, 'hex'));
    await turns();
    expect(await replies[0]).toMatchObject({ pdu: { status: 0x64 } });
    expect(await replies[1]).toMatchObject({ pdu: { command: 'generic_nack', status: 3 } });
    expect(await replies[2]).toEqual({ kind: 'unreadable' });
    await clock.pass(30_000);
    expect(await replies[3]).toEqual({ kind: 'timeout' });
    const last = session.request('deliver_sm');
    near.destroy();
    expect(await last).toEqual({ kind: 'closed' });
    expect(await session.request('deliver_sm')).toEqual({ kind: 'closed' });
    await expect(session.request('deliver_sm', { sourceAddr: '1'.repeat(30) })).rejects.toThrow(RangeError);
  });
});
