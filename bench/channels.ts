import type { Channel } from '../shared/domain/message/channel.ts';
import { LIVE_SENDS, type LiveSend, V1_SEND } from './live.ts';
import { floorOf, live, liveFloor } from './live-variants.ts';
import { ROUNDS } from './record.ts';
import { record } from './recording.ts';
import { columns, figure, type Section, type Verdict, verdict } from './report.ts';
import { MEASURE_MS, measureAll, medians, type Runs, WARM_MS } from './send.ts';

const CONNECTIONS = 16;
/** The interface promises the p95 of a send, in ms; the ratios are to a floor that makes the same calls. */
const GOAL = { p95Ms: 118, p95: 1.5, throughput: 0.7 };

/** What is timed: a send of each channel, and the operation of all channels. */
const V1 = 'sms by v1';
const SENDS: Readonly<Record<string, LiveSend & { readonly channel: Channel }>> = {
  ...Object.fromEntries(
    (Object.entries(LIVE_SENDS) as [Channel, LiveSend][]).map(([channel, send]) => [channel, { ...send, channel }]),
  ),
  [V1]: { ...V1_SEND, channel: 'sms' },
};
/** Those with a floor: they end with their answer, or run without consumers as their floor does. */
const V1_ALONE = `${V1}, without consumers`;
const FLOORED: Readonly<Record<string, string>> = { sms: 'sms', rcs: 'rcs', email: 'email', [V1_ALONE]: V1 };
const verdictsOf = (runs: Runs): Verdict[] => {
  const own = (name: string) => medians(runs, name, CONNECTIONS);
  const at = `at ${CONNECTIONS} connections`;
  return [
    ...Object.keys(SENDS).map((name) =>
      verdict(`p95 of a live send, ${name}, ${at}`, own(name).p95, '≤', GOAL.p95Ms, ' ms'),
    ),
    ...Object.keys(FLOORED).flatMap((name) => {
      const [ours, bare] = [own(name), own(floorOf(name))];
      const to = `${name}, ${at}, relative to its floor`;
      return [
        verdict(`p95 of a live send, ${to}`, ours.p95 / bare.p95, '≤', GOAL.p95, '×'),
        verdict(`live sends/s, ${to}`, ours.perSecond / bare.perSecond, '≥', GOAL.throughput, '×'),
      ];
    }),
  ];
};

const rowsOf = (runs: Runs, names: readonly string[]) =>
  names.map((name) => {
    const own = medians(runs, name, CONNECTIONS);
    const bare = name in FLOORED ? medians(runs, floorOf(name), CONNECTIONS) : undefined;
    return {
      What: name in SENDS ? `${name}, \`POST ${SENDS[name]?.path}\`` : name,
      'p95 ÷ floor': bare ? figure(own.p95 / bare.p95) : '',
      'Throughput ÷ floor': bare ? figure(own.perSecond / bare.perSecond) : '',
      'Sends/s': figure(own.perSecond),
      'p50 ms': figure(own.p50),
      'p95 ms': figure(own.p95),
      'p99 ms': figure(own.p99),
      'CPU ms a send': figure(own.cpu),
      'Engine CPU ms': figure(own.engineCpu),
    };
  });

const HOW = `The local stack, run by \`npm start\`, serves live sends of one organization over ${CONNECTIONS} keep-alive connections, by 64 keys in turn (a key may send 600 a
minute), one channel at a time. Providers are stand-ins in the bench's process that check requests and answer at once: a real provider's time comes on top. SMS, RCS and
e-mail call the provider before they answer; the others, and \`POST /v1/messages\`, answer once the message is stored and queued, and are sent by consumers in the same process, which
take part of its time; deployed, other functions do that. The goal of ${GOAL.p95Ms} ms is the interface's, without the network and AWS. Each floor (\`bench/replay-floor.ts\`) is a bare server
that makes the calls of one recorded send until its answer: the same table calls with the same bodies under other ids, at once where they were made at once, the provider's
request, the queues; nothing else. What is compared with it makes as many: \`${V1_ALONE}\` is the service without them, since consumers gather the work of many messages into one
call, and a floor that does not would be an easier one. Runs alternate; each has an engine and a process of its own, ${WARM_MS / 1000} s to warm up and
${MEASURE_MS / 1000} s that count; medians of ${ROUNDS} rounds (\`ROUNDS\`, \`MEASURE_MS\`).`;

/** Live sends on each channel, beside floors that make the same calls. */
export const benchChannels = async (): Promise<Section> => {
  const recordings = await record(SENDS);
  const sends = [...Object.entries(SENDS).map(([name, send]) => live(name, send)), live(V1_ALONE, V1_SEND, 'api')];
  // Each beside its floor, so that what else the machine does meets both.
  const variants = sends.flatMap((variant) => {
    const { [variant.name]: of = '' } = FLOORED;
    const [recording, send] = [recordings.get(of), SENDS[of]];
    return recording && send ? [variant, liveFloor(variant.name, send.channel, recording)] : [variant];
  });
  const runs = await measureAll('channels', variants, [CONNECTIONS]);
  return {
    title: 'A live send on each channel',
    verdicts: verdictsOf(runs),
    text: `${HOW}\n\n${columns(
      rowsOf(
        runs,
        variants.map(({ name }) => name),
      ),
    )}`,
  };
};
