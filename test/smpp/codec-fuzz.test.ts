import { expect, it } from 'vitest';
import { MAX_PDU_BYTES } from '../../shared/smpp/codec.ts';
import { createFramer } from '../../shared/smpp/framing.ts';
import { chanceOf } from '../support/chance.ts';
import { shareOf } from '../support/share.ts';
import { fuzzCodec, seedlingsOf } from './fuzz.ts';
import { mutated } from './mutate.ts';

/** The same in every run, so that a failure comes from a change; `SEED=…` tries others. */
const SEED = Number(process.env.SEED ?? 20_261_126);
/** 50,000 of them in `npm test`. */
const MUTANTS = shareOf(200_000);

it(`${MUTANTS.toLocaleString('en')} mutated PDUs are each a PDU, which is written as it was read, or a fault with its status`, () => {
  console.log(`SEED=${SEED}`);
  const { done, accepted, statuses } = fuzzCodec({ count: MUTANTS, seed: SEED });
  expect(done).toBe(MUTANTS);
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
  const seedlings = seedlingsOf(SEED, 2_000);
  let broken = 0;
  for (let turn = 0; turn < shareOf(4_000); turn++) {
    const framer = createFramer();
    for (let part = 0; part < 20; part++) {
      const { frames, broken: why } = framer.push(mutated(seedlings, chance));
      expect(framer.held()).toBeLessThanOrEqual(MAX_PDU_BYTES);
      for (const frame of frames) expect(frame.readUInt32BE(0)).toBe(frame.length);
      if (why === undefined) continue;
      broken++;
      break;
    }
  }
  expect(broken).toBeGreaterThan(0);
});
