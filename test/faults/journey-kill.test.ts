import { expect, test, vi } from 'vitest';
import { JOURNEYS, journeysOf, line, sms } from '../flows/journeys-kit.ts';
import { chanceOf } from '../support/chance.ts';
import { startKillLab } from '../support/kill.ts';
import type { GateCall, HoldAt } from '../support/kill-gate.ts';
import { checkMoney } from '../support/money.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';

// Real processes, and deadlines that have to pass.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** The same kills in every run; `SEED=…` tries others. */
const SEED = Number(process.env.SEED ?? 20_261_126);
const CONTACTS = 4;
const WAIT = { timeout: 150_000, interval: 1_000 };
/** Long enough that a journey is paused before its runs have waited. */
const WAIT_SECONDS = 5;

const lab = await use(startKillLab());

const commits = ({ action, body }: GateCall, ...parts: readonly string[]): boolean =>
  action === 'TransactWriteItems' && parts.every((part) => body.includes(part));
const places = ({ action, body }: GateCall, ...parts: readonly string[]): boolean =>
  action === 'PutItem' && parts.every((part) => body.includes(part));

/** Where a journey is when its process is killed. */
interface Point {
  /** Whether a call is the one at which the process ends. */
  readonly matches: (call: GateCall, journeyId: string) => boolean;
  /** The earlier history of the journey: it is active, or paused with runs that fell due meanwhile. */
  readonly since?: 'active' | 'parked';
  /** The request in progress. */
  readonly act: 'activate' | 'pause';
}

const ACTIVATED: Pick<Point, 'act'> = { act: 'activate' };
const RESUMED: Pick<Point, 'act' | 'since'> = { act: 'activate', since: 'parked' };
const POINTS = {
  'the activation': { ...ACTIVATED, matches: (call, id) => commits(call, `JOR#${id}`, 'JTRIG#') },
  'the entry of a page': { ...ACTIVATED, matches: (call, id) => commits(call, 'JENT#', id) },
  'the place of the entry': { ...ACTIVATED, matches: (call, id) => places(call, `JOR#${id}`, '"ENTER"') },
  'the end of a wait': { ...ACTIVATED, matches: (call, id) => commits(call, 'RUN#', id, 'passou') },
  'the send of a step': { ...ACTIVATED, matches: (call, id) => commits(call, 'IDEM#', id) },
  'the move after a send': { ...ACTIVATED, matches: (call, id) => commits(call, 'RUN#', id, 'enviada') },
  'the pause': { act: 'pause', since: 'active', matches: (call, id) => commits(call, `JOR#${id}`, '"pausada"') },
  'the activation after a pause': { ...RESUMED, matches: (call, id) => commits(call, `JOR#${id}`, 'JTRIG#') },
  'the place of the sweep': { ...RESUMED, matches: (call, id) => places(call, `JOR#${id}`, '"SWEEP"') },
  'a run that goes on after a pause': { ...RESUMED, matches: (call, id) => commits(call, 'RUN#', id) },
} as const satisfies Readonly<Record<string, Point>>;
type PointName = keyof typeof POINTS;

/** Points at which one process is at once: a process stores few moves at a time, so that the last point of each alone is one. */
const TOGETHER: readonly (readonly PointName[])[] = [
  ['the activation', 'the entry of a page', 'the end of a wait'],
  ['the place of the entry', 'the pause', 'the send of a step', 'the move after a send'],
  ['the activation after a pause', 'the place of the sweep', 'a run that goes on after a pause'],
];
test('every point is one at which a process ends', () => {
  expect(TOGETHER.flat().sort()).toEqual(Object.keys(POINTS).sort());
});

/** People so far: a number is in one case only. */
let people = 0;
const begin = async () => {
  const { client, organizationId } = await lab.organization();
  const journeys = journeysOf(client);
  const phones = Array.from({ length: CONTACTS }, () => `+551198766${String(people++).padStart(4, '0')}`);
  const contactIds: string[] = [];
  for (const phone of phones) contactIds.push((await client.post('/contacts', { phone, name: 'Ana' })).body.id);
  const { id: listId } = (await client.post('/v2/lists', { name: 'Todos' })).body;
  expect((await client.post(`/v2/lists/${listId}/members`, { contactIds })).status).toBe(200);
  const runsOf = async (id: string) => (await client.get(`${JOURNEYS}/${id}/runs`)).body.items as { id: string }[];
  const parked = async (id: string): Promise<boolean> => {
    const runs = await runsOf(id);
    const rows = await Promise.all(runs.map((run) => lab.table.get({ pk: `RUN#${run.id}`, sk: 'RUN' })));
    return rows.length === CONTACTS && rows.every((row) => row?.isParked === true);
  };
  return {
    client,
    organizationId,
    phones,
    runsOf,
    act: (id: string, act: Point['act']) => journeys.act(id, act, act === 'activate' ? { incluirAtuais: true } : {}),
    resume: (id: string) => journeys.act(id, 'activate'),
    /** A journey as its point wants it. Its message is its own. */
    async prepare(name: PointName): Promise<string> {
      const { since }: Point = POINTS[name];
      const { id } = await journeys.create({
        gatilho: { tipo: 'lista', listId },
        ...line({ chave: 'espera', tipo: 'esperar', config: { segundos: WAIT_SECONDS } }, sms('oi', name)),
      });
      if (since === undefined) return id;
      await journeys.did(id, 'activate', { incluirAtuais: true });
      await vi.waitFor(async () => expect(await runsOf(id)).toHaveLength(CONTACTS), WAIT);
      if (since === 'active') return id;
      await journeys.did(id, 'pause');
      await vi.waitFor(async () => expect(await parked(id)).toBe(true), WAIT);
      return id;
    },
    journeys,
  };
};
type Stage = Awaited<ReturnType<typeof begin>>;

/** Brings a new journey to each point; requests in progress are never answered. */
const bringAll = async (stage: Stage, names: readonly PointName[], at: HoldAt): Promise<Map<PointName, string>> => {
  const ids = new Map<PointName, string>();
  for (const name of names) ids.set(name, await stage.prepare(name));
  for (const [name, id] of ids) {
    const { act, since, matches }: Point = POINTS[name];
    const hold = lab.tableGate.hold(at, (call) => matches(call, id));
    const requested = since === 'parked' ? stage.resume(id) : stage.act(id, act);
    requested.catch(() => {});
    await hold.reached;
  }
  return ids;
};

/** The caller retries unanswered requests, and resumes paused journeys. */
const requestAgain = async (stage: Stage, name: PointName, id: string): Promise<void> => {
  const { act, since }: Point = POINTS[name];
  const answer = await (since === 'parked' ? stage.resume(id) : stage.act(id, act));
  expect(answer.status, `${name}: ${answer.text}`).toBe(200);
  if (act === 'pause') expect((await stage.resume(id)).status).toBe(200);
};

const chance = chanceOf(SEED);
const cases = TOGETHER.flatMap((names) =>
  chance
    .shuffled(['before', 'after'] as const)
    .slice(0, shareOf(2))
    .map((at) => ({ at, names })),
);
test.each(cases)('killing a process $at $names skips no contact and sends to none twice', async (each) => {
  await lab.start();
  const stage = await begin();
  const ids = await bringAll(stage, each.names, each.at);
  await lab.kill();
  lab.tableGate.clear();
  await lab.start();
  for (const [name, id] of ids) await requestAgain(stage, name, id);
  for (const [name, id] of ids) {
    await vi.waitFor(async () => {
      const { body } = await stage.client.get(`${JOURNEYS}/${id}/metrics`);
      expect(body, name).toMatchObject({ entradas: CONTACTS, ativas: 0, concluidas: CONTACTS });
      for (const counted of body.passos) expect(counted, name).toMatchObject({ entraram: CONTACTS, sairam: CONTACTS });
    }, WAIT);
    for (const run of await stage.runsOf(id)) {
      const { historico } = (await stage.client.get(`${JOURNEYS}/${id}/runs/${run.id}`)).body;
      expect(historico, name).toMatchObject([{ resultado: 'passou' }, { resultado: 'enviada' }]);
    }
  }
  await vi.waitFor(async () => {
    const { messages } = await checkMoney(lab.table, stage.organizationId);
    expect(messages).toHaveLength(ids.size * CONTACTS);
  }, WAIT);
  const { messages } = lab.provider;
  for (const to of stage.phones) {
    const texts = messages.filter((message) => message.to === to && each.names.includes(message.text as PointName));
    expect(texts.map(({ text }) => text).sort(), to).toEqual([...each.names].sort());
  }
});
