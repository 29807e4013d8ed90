import { once } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodePdu, HEADER_BYTES } from '../../shared/smpp/codec.ts';
import { Session } from '../../shared/smpp/session.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
import { shareOf } from '../support/share.ts';
import { anyPdu } from './arbitraries.ts';
import { socketServer } from './kit.ts';
import { mutated, relabelled } from './mutate.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
/** 50,000 of them in `npm test`. */
const MUTANTS = shareOf(200_000);
const A_CONNECTION = 50;
/** Without unbind, after which nothing more is read. */
const SEEDLINGS = fc
  .sample(
    anyPdu.filter(({ command }) => command !== 'unbind'),
    { numRuns: 500, seed: SEED },
  )
  .map(encodePdu);

/** Seldom one that ends the connection: of a wrong length, or shorter than a header. */
const mutant = (chance: Chance): Buffer => {
  const bytes = mutated(SEEDLINGS, chance);
  if (chance.below(A_CONNECTION) === 0) return bytes;
  return bytes.length < HEADER_BYTES ? chance.pick(SEEDLINGS) : relabelled(bytes);
};

it(`${MUTANTS.toLocaleString('en')} mutated PDUs on bound connections end theirs at most, and leave nothing behind`, async () => {
  console.log(`SEED=${SEED}`);
  const failures: unknown[] = [];
  let open = 0;
  let taken = 0;
  const server = await socketServer(
    {
      bind: async () => {
        open++;
        return { status: 'ESME_ROK', systemId: 'smsc', release: () => open-- };
      },
      request: async () => {
        taken++;
        return { body: { messageId: 'msg_1' } };
      },
      failed: (error) => failures.push(error),
    },
    { limits: { unbindMs: 1_000 } },
  );
  const client = new Session({
    side: 'client',
    stream: await server.connect(),
    handlers: { request: async () => ({}) },
  });
  await client.bind('bind_transceiver', { systemId: 'healthy' });
  const bind = encodePdu(
    fc.sample(
      anyPdu.filter(({ command }) => command === 'bind_transceiver'),
      { numRuns: 1, seed: SEED },
    )[0] as never,
  );

  const chance = chanceOf(SEED);
  for (let sent = 0; sent < MUTANTS; sent += A_CONNECTION) {
    const socket = await server.connect();
    const gone = new Promise((resolve) => socket.on('close', resolve));
    socket.write(bind);
    await once(socket, 'data');
    socket.resume();
    socket.write(Buffer.concat(Array.from({ length: A_CONNECTION }, () => mutant(chance))));
    socket.end();
    const reply = await client.request('submit_sm', { shortMessage: Buffer.from('still here') });
    expect(reply).toMatchObject({ kind: 'response', pdu: { status: 0 } });
    await gone;
  }

  expect(failures).toEqual([]);
  // Mutants were served, and not only the healthy client.
  expect(taken).toBeGreaterThan((2 * MUTANTS) / A_CONNECTION);
  await client.unbind();
  await expect.poll(() => open).toBe(0);
  expect(server.sessions.filter(({ state }) => state !== 'closed')).toEqual([]);
  await server.close();
});
