import { fuzzCodec, fuzzConnections, MAX_GROWN_MB } from '../smpp/fuzz.ts';
import type { Part, PartOptions, Report } from './part.ts';

const run = async ({ count, seed, late }: PartOptions): Promise<Report> => {
  const codec = fuzzCodec({ count, seed, late });
  const { done, taken, grownMb } = await fuzzConnections({ count, seed, late });
  if (grownMb > MAX_GROWN_MB) throw new Error(`the memory grew by ${grownMb.toFixed(1)} MB`);
  return {
    done: Math.min(codec.done, done),
    figures: {
      'PDUs of them': codec.accepted,
      'requests served': taken,
      'MB that the memory grew by': Number(grownMb.toFixed(1)),
    },
  };
};

/** Mutated PDUs of SMPP, alone and on the connections of a server, which another bind uses meanwhile. */
export const pdus: Part = { whole: 1_000_000, unit: 'mutated PDUs', run };
