import { describe, expect, it } from 'vitest';
import { encodePdu, MAX_PDU_BYTES, pduOf } from '../../shared/smpp/codec.ts';
import { createFramer } from '../../shared/smpp/framing.ts';
import { tlv } from '../../shared/smpp/tlvs.ts';
import { fc } from '../support/fast-check.ts';
import { anyPdu } from './arbitraries.ts';

const header = (length: number): Buffer => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(length, 0);
  return bytes;
};

describe('a stream', () => {
  it('gives the same PDUs wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(anyPdu, { maxLength: 6 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 90 })),
        (pdus, cuts) => {
          const sent = pdus.map(encodePdu);
          const stream = Buffer.concat(sent);
          const framer = createFramer();
          const frames: Buffer[] = [];
          for (let at = 0; at < stream.length; ) {
            const size = cuts.next().value as number;
            frames.push(...framer.push(stream.subarray(at, at + size)).frames);
            at += size;
          }
          expect(frames).toEqual(sent);
          expect(framer.held()).toBe(0);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('is broken by a length below a header or above the limit, and gives what came before it', () => {
    const link = encodePdu(pduOf('enquire_link', 1));
    for (const length of [0, 15, MAX_PDU_BYTES + 1, 0xffffffff]) {
      const framer = createFramer();
      const { frames, broken } = framer.push(Buffer.concat([link, header(length), link]));
      expect(frames).toEqual([link]);
      expect(broken).toMatch(/command_length/);
      expect(framer.push(link)).toMatchObject({ frames: [], broken });
    }
  });

  it('holds a PDU of the limit, and no more than what came of one', () => {
    const longest = encodePdu(
      pduOf('data_sm', 1, {}, { tlvs: [tlv('message_payload', Buffer.alloc(MAX_PDU_BYTES - 16 - 10 - 4))] }),
    );
    expect(longest.length).toBe(MAX_PDU_BYTES);
    const framer = createFramer();
    const early = Array.from(longest.subarray(0, -1), (byte) => framer.push(Buffer.of(byte)).frames.length);
    expect(early.some((frames) => frames > 0)).toBe(false);
    expect(framer.held()).toBe(MAX_PDU_BYTES - 1);
    expect(framer.push(longest.subarray(-1)).frames).toEqual([longest]);
    expect(framer.held()).toBe(0);
  });

  it('gives frames that share no memory with what came', () => {
    const chunk = encodePdu(pduOf('submit_sm_resp', 1, { messageId: 'msg_1' }));
    const framer = createFramer();
    const [frame] = framer.push(chunk).frames;
    const kept = Buffer.from(chunk);
    chunk.fill(0xff);
    framer.push(kept);
    expect(frame).toEqual(kept);
  });
});
