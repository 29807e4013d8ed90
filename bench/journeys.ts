import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Contact } from '../shared/domain/contacts/contact.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import type { Journey } from '../shared/domain/journeys/journey.ts';
import { moveDueRun } from '../shared/domain/journeys/move-run.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { activeJourney, addContacts, journeysOver } from '../test/journeys/stage.ts';
import { ligacoes, passo } from '../test/support/journeys/build.ts';
import { sendingOutside } from '../test/support/journeys/sends.ts';
import { patient } from '../test/support/patient-client.ts';
import { startWorld, type World } from '../test/support/world.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { inGroups } from './processes.ts';
import { callAgain, transactAgain } from './raw-calls.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

/** Contacts that enter; a million with `JOURNEYS=1000000`. */
const SIZE = Number(process.env.JOURNEYS ?? 100_000);
const GOAL = { ratio: 0.5, units: 10 };
/** Contacts of whose runs every call is recorded. */
const RECORDED = 960;
/** Contacts of a page of an entry, and runs that the consumers of one process work on at once. */
const PAGE = 192;
const CONCURRENCY = 40;
const HOUR_MS = 3_600_000;
const COINS = 1_000_000_000_000;
/** Steps that a run takes. */
const STEPS = 2;
const WAIT_AND_SEND = {
  passos: [
    passo('esperar', { horas: 1 }),
    passo('enviar', { canal: 'sms', texto: 'Oi {{contato.nome|amigo}}, hoje tudo com 30% off.' }),
  ],
  ligacoes: ligacoes('esperar > enviar'),
};

/** A journey over an engine of its own, with contacts that are to enter it. */
const begin = async (world: World, size: number) => {
  const actor = await world.organization(COINS, false);
  const own = journeysOver(world.table, () => world.now, sendingOutside(world));
  const journey = await activeJourney(own, actor, WAIT_AND_SEND);
  const people = await addContacts(world.table, actor, size, { name: 'Ana' });
  return { world, own, journey, people };
};
type Stage = Awaited<ReturnType<typeof begin>>;

const enterAll = async ({ own, world }: Stage, journey: Journey, people: readonly Contact[]) => {
  const cause = { key: 'bench', at: world.now };
  const pages = inGroups(people, PAGE);
  const answers = await mapConcurrently(pages, 1, (page) =>
    own.enter(
      journey,
      page.map(({ id: contactId }) => ({ contactId, cause })),
    ),
  );
  return answers.flat().flatMap((answer) => ('runId' in answer ? [answer.runId] : []));
};

type RunId = Awaited<ReturnType<typeof enterAll>>[number];
/** Takes runs through their wait and their send. */
const takeOn = async ({ own, world }: Stage, runs: readonly RunId[]): Promise<void> => {
  for (const _ of Array(STEPS)) {
    await mapConcurrently(runs, CONCURRENCY, (id) => moveDueRun(own.ports, id));
    world.now += HOUR_MS;
  }
  const [last] = await own.ports.runs.read(runs.slice(-1));
  if (last?.run.status !== 'concluida') throw new Error('a run has not ended');
};

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

type Meter = Awaited<ReturnType<typeof startCountingProxy>>;
interface Recorded {
  readonly calls: ReturnType<Meter['taken']>['calls'];
  readonly writeUnits: number;
  readonly readUnits: number;
}
/** Every call of some entries and of their runs, and the write units of what stores runs. */
const record = async () => {
  const meters: Meter[] = [];
  const through = async (endpoint: string) => {
    const meter = await startCountingProxy(endpoint);
    meters.push(meter);
    return meter.endpoint;
  };
  const world = await startWorld('test', { through });
  try {
    const stage = await begin(world, RECORDED);
    const taken = async (work: () => Promise<unknown>): Promise<Recorded> => {
      meters[0]?.reset();
      await work();
      return meters[0]?.taken() ?? { calls: [], writeUnits: Number.NaN, readUnits: Number.NaN };
    };
    let runs: readonly RunId[] = [];
    const entries = await taken(async () => {
      runs = await enterAll(stage, stage.journey, stage.people);
    });
    const steps = await taken(() => takeOn(stage, runs));
    const ofRuns = steps.calls.filter(({ action, body }) => action === 'TransactWriteItems' && !body.includes('IDEM#'));
    const units = ofRuns.reduce((sum, call) => sum + call.units, 0);
    return { entries, steps, unitsOfRuns: units / (RECORDED * STEPS) };
  } finally {
    await world.close();
    await Promise.all(meters.map((meter) => meter.close()));
  }
};

let replays = 0;
/** How long the recorded calls take by themselves, in s; writes are made on rows of their own. */
const floorOf = async (client: DynamoDBClient, { calls }: Recorded): Promise<number> => {
  const own = `FLOOR#${replays++}#`;
  return seconds(() =>
    mapConcurrently(calls, CONCURRENCY, (call) =>
      call.action === 'TransactWriteItems' ? transactAgain(client, call, (pk) => own + pk) : callAgain(client, call),
    ),
  );
};

/** Entries and steps of a part of the contacts, each beside the recorded calls of as many. */
const measure = async (
  stage: Stage,
  client: DynamoDBClient,
  people: readonly Contact[],
  recorded: Awaited<ReturnType<typeof record>>,
) => {
  let runs: readonly RunId[] = [];
  const entering = await seconds(async () => {
    runs = await enterAll(stage, stage.journey, people);
  });
  const stepping = await seconds(() => takeOn(stage, runs));
  const floors = { entries: await floorOf(client, recorded.entries), steps: await floorOf(client, recorded.steps) };
  return {
    entries: people.length / entering,
    steps: (people.length * STEPS) / stepping,
    entriesFloor: RECORDED / floors.entries,
    stepsFloor: (RECORDED * STEPS) / floors.steps,
  };
};

const HOW = `${figure(SIZE)} contacts enter a journey of a wait and an SMS, in pages of ${PAGE}; their runs are then taken through both steps, ${CONCURRENCY} at once, as the consumers of one process take them from their queue. One
process with an engine in memory; sends are accepted out of a real wallet, and not sent on. The floor makes the recorded calls of ${RECORDED} such contacts again, ${CONCURRENCY} at once, without a service: writes on rows of their own, without
conditions, which held once. Medians of ${ROUNDS} parts of the contacts. Units are those that the engine reports; "without its send" leaves out the transactions that accept messages.`;

/** Entries and steps of journeys a second beside the floor of their calls, and the units that they take. */
export const benchJourneys = async (): Promise<Section> => {
  const recorded = await record();
  const world = await startWorld('test');
  const client = patient(tableClient(world.proxy.endpoint));
  // As the world's own: both call the engine past the SDK.
  world.proxy.shortcutToEngine(client);
  try {
    const stage = await begin(world, SIZE);
    const rounds: Awaited<ReturnType<typeof measure>>[] = [];
    for (const people of inGroups(stage.people, Math.ceil(SIZE / ROUNDS))) {
      rounds.push(await measure(stage, client, people, recorded));
      console.log('journeys:', rounds.at(-1));
    }
    const of = (name: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[name]));
    const ratio = median(rounds.map(({ steps, stepsFloor }) => steps / stepsFloor));
    const each = (what: string, rate: number, floor: number, { writeUnits, readUnits }: Recorded, count: number) => ({
      What: what,
      'a second': figure(rate),
      'a second, floor': figure(floor),
      'WRU each (engine)': figure(writeUnits / count),
      'RRU each (engine)': figure(readUnits / count),
    });
    const rows = [
      each('entries', of('entries'), of('entriesFloor'), recorded.entries, RECORDED),
      each('steps', of('steps'), of('stepsFloor'), recorded.steps, RECORDED * STEPS),
    ];
    return {
      title: 'Journeys',
      rounds: rounds.length,
      verdicts: [
        verdict('Steps of journeys a second, relative to the floor', ratio, '≥', GOAL.ratio, '×'),
        verdict('Write units of a step without its send', recorded.unitsOfRuns, '≤', GOAL.units),
      ],
      text: `${HOW}\n\n${columns(rows)}\n\nWithout its send a step takes ${figure(recorded.unitsOfRuns)} write units.`,
    };
  } finally {
    client.destroy();
    await world.close();
  }
};
