import { ROUNDS } from './record.ts';
import { columns, figure, type Section } from './report.ts';
import { measure, measureAll, medians, postPlan, type Run, type Variant, stackVariant as variant } from './send.ts';

const CONNECTIONS = 16;

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

/** Sends per second on each channel, beside SMS. */
export const benchChannels = async (): Promise<Section> => {
  const runs = await measureAll('channels', GROUPS.flat(), [CONNECTIONS], tried);
  const rows = GROUPS.flatMap((group) =>
    group.map(({ name }) => {
      const own = medians(runs, name, CONNECTIONS);
      const sms = medians(runs, group[0]?.name ?? name, CONNECTIONS);
      const refused = own.perSecond === 0;
      const shown = (value: number) => (refused ? '' : figure(value));
      return {
        What: name,
        'Throughput ÷ SMS': refused ? 'refused by a fresh organization' : figure(own.perSecond / sms.perSecond),
        'p95 ÷ SMS': shown(own.p95 / sms.p95),
        'Sends/s': shown(own.perSecond),
        'p50 ms': shown(own.p50),
        'p95 ms': shown(own.p95),
        'CPU ms a send': shown(own.cpu),
        'Engine CPU ms': shown(own.engineCpu),
      };
    }),
  );
  return {
    title: 'A send on each channel',
    verdicts: [],
    text: `${HOW}\n\n${columns(rows)}`,
  };
};
