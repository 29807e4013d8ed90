import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodePdu, encodePdu, MAX_PDU_BYTES } from '../../shared/smpp/codec.ts';
import { DATA_CODINGS, decodeText } from '../../shared/smpp/data-coding.ts';
import { createFramer } from '../../shared/smpp/framing.ts';
import { readUserData, sarPart } from '../../shared/smpp/parts.ts';
import type { Pdu } from '../../shared/smpp/pdus.ts';
import { readReceipt } from '../../shared/smpp/receipt.ts';
import { STATUSES } from '../../shared/smpp/statuses.ts';
import { readTime } from '../../shared/smpp/time.ts';
import { chanceOf } from '../support/chance.ts';
import { shareOf } from '../support/share.ts';
import { anyPdu } from './arbitraries.ts';
import { mutated } from './mutate.ts';

/** The same in every run, so that a failure comes from a change; `SEED=…` tries others. */
const SEED = Number(process.env.SEED ?? 20_261_126);
/** 50,000 of them in `npm test`. */
const MUTANTS = shareOf(200_000);
const SEEDLINGS = fc.sample(anyPdu, { numRuns: 2_000, seed: SEED }).map(encodePdu);

/** All that is read of a PDU's values: each is a value or undefined, for any bytes. */
const readValues = (pdu: Pdu): void => {
  sarPart(pdu.tlvs);
  for (const value of Object.values(pdu.body as Readonly<Record<string, unknown>>)) {
    if (typeof value === 'string') {
      readTime(value, 0);
      readReceipt(value);
    } else if (value instanceof Uint8Array) {
      readUserData(value);
      for (const coding of Object.values(DATA_CODINGS)) decodeText(value, coding);
    }
  }
};

it(`${MUTANTS.toLocaleString('en')} mutated PDUs are each a PDU, which is written as it was read, or a fault with its status`, () => {
  console.log(`SEED=${SEED}`);
  const chance = chanceOf(SEED);
  const statuses = new Set<string>();
  let accepted = 0;
  for (let turn = 0; turn < MUTANTS; turn++) {
    const bytes = mutated(SEEDLINGS, chance);
    const result = decodePdu(bytes);
    if (!result.ok) {
      statuses.add(result.fault.status);
      if (!(result.fault.status in STATUSES)) expect.fail(`turn ${turn}: ${result.fault.status}`);
      continue;
    }
    accepted++;
    readValues(result.pdu);
    const again = decodePdu(encodePdu(result.pdu));
    if (!again.ok) expect.fail(`turn ${turn}: ${bytes.toString('hex')}`);
    // A refusal with an empty body is written without it.
    if (result.pdu.status === 0 && result.pdu.command !== 'deliver_sm_resp' && !encodePdu(result.pdu).equals(bytes))
      expect.fail(`turn ${turn}: ${bytes.toString('hex')}`);
  }
  // The mutations are neither harmless nor all fatal at the first field.
  expect(accepted).toBeGreaterThan(MUTANTS / 20);
  expect(accepted).toBeLessThan(MUTANTS * 0.9);
  expect([...statuses]).toEqual(
    expect.arrayContaining([
      'ESME_RINVCMDLEN',
      'ESME_RINVCMDID',
      'ESME_RINVMSGLEN',
      'ESME_RINVOPTPARSTREAM',
      'ESME_RINVPARLEN',
    ]),
  );
});

it('streams of mutated PDUs hold no more than one PDU, and end where they are broken', () => {
  const chance = chanceOf(SEED + 1);
  let broken = 0;
  for (let turn = 0; turn < shareOf(4_000); turn++) {
    const framer = createFramer();
    for (let piece = 0; piece < 20; piece++) {
      const { frames, broken: why } = framer.push(mutated(SEEDLINGS, chance));
      expect(framer.held()).toBeLessThanOrEqual(MAX_PDU_BYTES);
      for (const frame of frames) expect(frame.readUInt32BE(0)).toBe(frame.length);
      if (why === undefined) continue;
      broken++;
      break;
    }
  }
  expect(broken).toBeGreaterThan(0);
});
