import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { decodePdu, encodePdu, HEADER_BYTES } from '../../shared/smpp/codec.ts';
import { DATA_CODINGS, decodeText } from '../../shared/smpp/data-coding.ts';
import { readMessage } from '../../shared/smpp/message.ts';
import { readUserData, sarPart } from '../../shared/smpp/parts.ts';
import type { Pdu } from '../../shared/smpp/pdus.ts';
import { readReceipt } from '../../shared/smpp/receipt.ts';
import { Session } from '../../shared/smpp/session.ts';
import { STATUSES } from '../../shared/smpp/statuses.ts';
import { readTime } from '../../shared/smpp/time.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
import { anyPdu } from './arbitraries.ts';
import { socketServer } from './kit.ts';
import { mutated, relabelled } from './mutate.ts';

export interface FuzzOptions {
  readonly count: number;
  readonly seed: number;
  /** Whether its time is over. */
  readonly late?: () => boolean;
}

/** PDUs to mutate. */
export const seedlingsOf = (seed: number, count: number): Buffer[] =>
  fc.sample(anyPdu, { numRuns: count, seed }).map(encodePdu);

/** All that is read of a PDU's values: each is a value or undefined, for any bytes. */
const readValues = (pdu: Pdu): void => {
  sarPart(pdu.tlvs);
  if (pdu.command === 'submit_sm' || pdu.command === 'data_sm') readMessage(pdu, 0);
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

/** Mutated PDUs are each a PDU, which is written as it was read, or a fault with its status. Throws the first that is neither. */
export const fuzzCodec = ({ count, seed, late = () => false }: FuzzOptions) => {
  const chance = chanceOf(seed);
  const seedlings = seedlingsOf(seed, 2_000);
  const statuses = new Set<string>();
  let [done, accepted] = [0, 0];
  for (; done < count && !late(); done++) {
    const bytes = mutated(seedlings, chance);
    const fail = (why: string): never => {
      throw new Error(`turn ${done}: ${why} ${bytes.toString('hex')}`);
    };
    const result = decodePdu(bytes);
    if (!result.ok) {
      statuses.add(result.fault.status);
      if (!(result.fault.status in STATUSES)) fail(result.fault.status);
      continue;
    }
    accepted++;
    readValues(result.pdu);
    const written = encodePdu(result.pdu);
    const again = decodePdu(written);
    if (!again.ok) return fail('what was written is not read');
    if (!isDeepStrictEqual(again.pdu, result.pdu)) fail('it is read as another one');
    // A refusal with an empty body is written without it.
    if (result.pdu.status === 0 && result.pdu.command !== 'deliver_sm_resp' && !written.equals(bytes))
      fail('it is written as another one');
  }
  return { done, accepted, statuses };
};

/** The limit of a run's memory growth, in MB. */
export const MAX_GROWN_MB = 20;

const A_CONNECTION = 50;

/** Seldom one that ends the connection: of a wrong length, or shorter than a header. */
const mutantOf = (seedlings: readonly Buffer[], chance: Chance): Buffer => {
  const bytes = mutated(seedlings, chance);
  if (chance.below(A_CONNECTION) === 0) return bytes;
  return bytes.length < HEADER_BYTES ? chance.pick(seedlings) : relabelled(bytes);
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The memory in use, including buffers, after garbage collection (bytes). */
export const heldBytes = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/**
 * Mutated PDUs on bound connections, 50 on each, while another bind stays in use. Throws if that one is not answered, or anything is left
 * behind.
 */
export const fuzzConnections = async ({ count, seed, late = () => false }: FuzzOptions) => {
  // Without unbind, after which nothing more is read.
  const all = anyPdu.filter(({ command }) => command !== 'unbind');
  const seedlings = fc.sample(all, { numRuns: 500, seed }).map(encodePdu);
  const [bind] = fc.sample(
    anyPdu.filter(({ command }) => command === 'bind_transceiver'),
    { numRuns: 1, seed },
  );
  if (!bind) throw new Error('no bind');
  const failures: unknown[] = [];
  let [open, taken] = [0, 0];
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

  const chance = chanceOf(seed);
  let done = 0;
  let before: number | undefined;
  for (; done < count && !late(); done += A_CONNECTION) {
    const socket = await server.connect();
    const gone = new Promise((resolve) => socket.on('close', resolve));
    socket.write(encodePdu(bind));
    await once(socket, 'data');
    socket.resume();
    socket.write(Buffer.concat(Array.from({ length: A_CONNECTION }, () => mutantOf(seedlings, chance))));
    socket.end();
    const reply = await client.request('submit_sm', { shortMessage: Buffer.from('still here') });
    if (reply.kind !== 'response' || reply.pdu.status !== 0) throw new Error(`another bind is answered: ${reply.kind}`);
    await gone;
    server.forget();
    // The first connections warm up what stays for good.
    before ??= done >= count / 10 ? heldBytes() : undefined;
  }
  if (failures.length > 0) throw failures[0];
  await client.unbind();
  for (let waits = 0; open > 0 && waits < 200; waits++) await new Promise((resolve) => setTimeout(resolve, 50));
  const left = server.sessions.filter(({ state }) => state !== 'closed').length;
  if (open > 0 || left > 0) throw new Error(`${open} binds and ${left} sessions are left`);
  await server.close();
  const grownMb = (heldBytes() - (before ?? 0)) / 1_048_576;
  return { done, taken, grownMb };
};
