import { expect, it } from 'vitest';
import { encodePdu, pduOf } from '../../shared/smpp/codec.ts';
import { Outgoing } from '../../shared/smpp/outgoing.ts';
import { manualTimers } from './kit.ts';

const sequenceOf = (bytes: Buffer | undefined): number | undefined => bytes?.readUInt32BE(12);

it('sequence numbers go around at 0x7FFFFFFF, and a response ends the wait for it', async () => {
  const clock = manualTimers();
  const written: Buffer[] = [];
  const outgoing = new Outgoing({
    window: 3,
    queue: 0,
    responseMs: 30_000,
    timers: clock.timers,
    write: (bytes) => written.push(bytes),
    isWritable: () => true,
    lastSequence: 0x7ffffffd,
  });
  const send = () => outgoing.send(encodePdu(pduOf('deliver_sm', 0)));
  const first = send();
  void send();
  void send();
  expect(written.map(sequenceOf)).toEqual([0x7ffffffe, 0x7fffffff, 1]);
  outgoing.settle(0x7ffffffe, { kind: 'unreadable' });
  expect(await first).toEqual({ kind: 'unreadable' });
  expect(clock.waiting()).toBe(2);
});
