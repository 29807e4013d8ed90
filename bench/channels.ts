import { circumstances, figure, loadNow, median, type Section, table } from './report.ts';
import { measure, postPlan, type Run, type Variant, stackVariant as variant } from './send.ts';

const CONNECTIONS = 16;
const ROUNDS = Number(process.env.ROUNDS ?? 3);

const PHONE = '+5511999990005';
const MAIL = 'success@simulator.amazonses.com';
const TEXT = 'Your order is on its way.';

/** The channel's own, synchronous operation: responds once the provider did. */
const own = (name: string, path: string, body: object): Variant =>
  variant(`${name}, \`POST ${path}\``, '201', (key) => postPlan(key, path, body));
/** The operation of all channels: responds once the message is queued. */
const shared = (channel: string, body: object): Variant =>
  variant(`${channel}, \`POST /v1/messages\``, '202', (key) => postPlan(key, '/v1/messages', { channel, ...body }));

/** Compared in groups; the first of each group, SMS, is the baseline. */
const GROUPS: readonly (readonly Variant[])[] = [
  [
    own('sms', '/v2/sms/messages', { to: PHONE, body: TEXT, route: 'premium' }),
    own('rcs', '/v2/rcs/messages', { to: PHONE, content: { text: TEXT }, route: 'easy_rcs' }),
    own('email', '/v2/email/messages', { to: MAIL, from: 'shop@example.com', subject: 'Your order', text: TEXT }),
  ],
  [
    shared('sms', { to: PHONE, text: TEXT }),
    shared('rcs', { to: PHONE, text: TEXT }),
    shared('email', { to: MAIL, text: TEXT }),
    shared('whatsapp', { to: PHONE, template: 'order_update' }),
    shared('push', { to: 'device-1', text: TEXT }),
    shared('instagram', { to: '17841400000000001', text: TEXT }),
  ],
];

const HOW = `The local stack, run by \`npm start\`, serves single sends with a test key over ${CONNECTIONS} keep-alive connections, one channel at a time; the sandbox
simulates a delivery of each in the same process. Runs alternate; each has an engine and a process of its own; medians of ${ROUNDS} rounds (\`ROUNDS\` and \`MEASURE_MS\` change
that). The ratios are relative to SMS by the same operation.`;

/** Undefined if the sandbox of a new organization refuses the channel (closed window, no registered device). */
const tried = async (one: Variant): Promise<Run | undefined> => {
  try {
    return await measure(one, CONNECTIONS);
  } catch (fault) {
    console.log(`channels: ${one.name}: ${fault instanceof Error ? fault.message : 'failed'}`);
    return undefined;
  }
};

const measureAll = async (): Promise<Map<string, Run[]>> => {
  const runs = new Map<string, Run[]>();
  for (let round = 1; round <= ROUNDS; round++)
    for (const one of GROUPS.flat()) {
      const run = await tried(one);
      if (!run) continue;
      runs.set(one.name, [...(runs.get(one.name) ?? []), run]);
      console.log(`channels: round ${round}, ${one.name}: ${figure(run.perSecond)}/s, p95 ${figure(run.p95)} ms`);
    }
  return runs;
};

/** Sends per second on each channel, beside SMS. */
export const benchChannels = async (): Promise<Section> => {
  const loadBefore = loadNow();
  const runs = await measureAll();
  const of = (name: string, pick: (run: Run) => number) => median((runs.get(name) ?? []).map(pick));
  const rows = GROUPS.flatMap((group) =>
    group.map(({ name }) => {
      if (!runs.has(name)) return [name, 'refused by a fresh organization', '', '', '', '', '', ''];
      const [sms = name] = group.map((one) => one.name);
      const [rate, p95] = [of(name, (run) => run.perSecond), of(name, (run) => run.p95)];
      return [
        name,
        figure(rate / of(sms, (run) => run.perSecond)),
        figure(p95 / of(sms, (run) => run.p95)),
        figure(rate),
        figure(of(name, (run) => run.p50)),
        figure(p95),
        figure(of(name, (run) => run.cpu)),
        figure(of(name, (run) => run.engineCpu)),
      ];
    }),
  );
  const head = [
    'What',
    'Throughput ÷ SMS',
    'p95 ÷ SMS',
    'Sends/s',
    'p50 ms',
    'p95 ms',
    'CPU ms a send',
    'Engine CPU ms',
  ];
  return {
    title: 'A send on each channel',
    verdicts: [],
    text: `${circumstances('channels', loadBefore)}\n\n${HOW}\n\n${table(head, rows)}`,
  };
};
