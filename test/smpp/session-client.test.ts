import { duplexPair } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { encodePdu, pduOf } from '../../shared/smpp/codec.ts';
import { Session } from '../../shared/smpp/session.ts';
import { PATIENCE } from '../support/patience.ts';
import { accepting, memorySession, peerOf, turns } from './kit.ts';

describe('requests of a client', () => {
  it('bind, send and receive as its server allows', async () => {
    const { near, far } = memorySession({ request: async () => ({ body: { messageId: 'msg_1' } }) });
    void near;
    const request = vi.fn(async () => ({}));
    const client = new Session({ side: 'client', stream: far, handlers: { request } });
    expect(await client.bind('bind_transceiver', { systemId: 'client' })).toMatchObject({ pdu: { status: 0 } });
    expect(client.state).toBe('transceiver');
    expect(await client.request('submit_sm')).toMatchObject({ pdu: { body: { messageId: 'msg_1' } } });
    await client.unbind();
    expect(client.state).toBe('closed');
  });

  it('reach a client that is bound to receive, which answers them', async () => {
    const { session, far } = memorySession();
    const request = vi.fn(async () => ({}));
    const client = new Session({ side: 'client', stream: far, handlers: accepting({ request }) });
    await client.bind('bind_receiver', {});
    expect(await session.request('deliver_sm', { shortMessage: Buffer.from('x') })).toMatchObject({
      pdu: { status: 0 },
    });
    expect(request).toHaveBeenCalledTimes(1);
    await client.unbind();
  });

  it('are delivered to a client that is about to be bound where they come in one chunk with the response to its bind', async () => {
    const [near, far] = duplexPair();
    const smsc = peerOf(near);
    const request = vi.fn(async () => ({}));
    const client = new Session({ side: 'client', stream: far, handlers: accepting({ request }) });
    const bound = client.bind('bind_receiver', {});
    await turns();
    const answer = encodePdu(pduOf('bind_receiver_resp', smsc.read[0]?.sequence ?? 0));
    const delivery = encodePdu(pduOf('deliver_sm', 1, { shortMessage: Buffer.from('x') }));
    smsc.write(Buffer.concat([answer, delivery]));
    expect(await bound).toMatchObject({ pdu: { status: 0 } });
    await vi.waitFor(
      () => expect(smsc.log()).toEqual(['bind_receiver ESME_ROK', 'deliver_sm_resp ESME_ROK']),
      PATIENCE,
    );
    expect(request).toHaveBeenCalledTimes(1);
    near.destroy();
  });
});
