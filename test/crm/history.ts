import fc from 'fast-check';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { Crashed, tableWith } from '../lists/crashes.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { indexesUpToDate } from '../support/table-engine.ts';
import type { World } from '../support/world.ts';
import { CARD_STEPS } from './card-steps.ts';
import { checkAll, checkCompany, checkPipeline, checkSome } from './checks.ts';
import { COMPANY_STEPS, PERSON_STEPS, TASK_STEPS } from './company-steps.ts';
import { IMPORT_STEPS } from './import-steps.ts';
import { PIPELINE_STEPS } from './pipeline-steps.ts';
import { Plain } from './plain.ts';
import { type Crm, crmOver, expire, tombstonesOf, workUntilQuiet } from './stage.ts';
import { type Draw, refusalOf, type Scene, type Step } from './steps.ts';

type Make = (scene: Scene, draw: Draw) => Step | undefined;
/** The operations, and how often each is drawn. */
const STEPS = {
  createCard: [9, CARD_STEPS.create],
  changeCard: [7, CARD_STEPS.change],
  moveCard: [14, CARD_STEPS.move],
  closeCard: [6, CARD_STEPS.close],
  reopenCard: [4, CARD_STEPS.reopen],
  removeCard: [3, CARD_STEPS.remove],
  importCards: [3, IMPORT_STEPS.cards],
  createCompany: [6, COMPANY_STEPS.create],
  changeCompany: [6, COMPANY_STEPS.change],
  removeCompany: [3, COMPANY_STEPS.remove],
  importCompanies: [3, IMPORT_STEPS.companies],
  createContact: [6, PERSON_STEPS.create],
  changeContact: [4, PERSON_STEPS.change],
  removeContact: [3, PERSON_STEPS.remove],
  mergeContacts: [4, PERSON_STEPS.merge],
  createActivity: [5, TASK_STEPS.create],
  removeActivity: [1, TASK_STEPS.remove],
  createPipeline: [3, PIPELINE_STEPS.create],
  addStage: [3, PIPELINE_STEPS.add],
  changeStage: [4, PIPELINE_STEPS.change],
  removeStage: [2, PIPELINE_STEPS.removeOne],
  orderStages: [2, PIPELINE_STEPS.order],
  archive: [3, PIPELINE_STEPS.archive],
  removePipeline: [1, PIPELINE_STEPS.remove],
} as const satisfies Record<string, readonly [number, unknown]>;
export type Kind = keyof typeof STEPS | 'work';
/** A step of a kind; where there is nothing that it could be about, one that makes something. */
export const stepOf = (kind: Exclude<Kind, 'work'>, scene: Scene, draw: Draw): Step => {
  const make = STEPS[kind][1] as Make;
  return (
    make(scene, draw) ??
    (CARD_STEPS.create(scene, draw) as Step | undefined) ??
    (PIPELINE_STEPS.create(scene, draw) as Step)
  );
};

/** The kinds of operations, each as often as it is drawn. */
export const KINDS = Object.entries(STEPS).flatMap(([kind, [weight]]) => Array<Kind>(weight).fill(kind as Kind));

/** A fault of a step: of its process, or of its table calls. */
export type Trouble =
  | { readonly kind: 'none' }
  /** The process ends at its nth call: before it, or once it is made and not yet answered. */
  | { readonly kind: 'crash'; readonly at: number; readonly made: boolean }
  /** Of its nth transaction the answer is lost, or it meets another one. */
  | { readonly kind: 'lost' | 'met'; readonly at: number };

export interface Turn {
  readonly kind: Kind;
  readonly draw: Draw;
  readonly trouble: Trouble;
}

const number = fc.nat(65_535);
export const kindArbitrary: fc.Arbitrary<Kind> = fc.oneof(
  { withCrossShrink: true },
  { weight: 6, arbitrary: fc.constant('work' as const) },
  ...Object.entries(STEPS).map(([kind, [weight]]) => ({ weight, arbitrary: fc.constant(kind as Kind) })),
);
/** Evenly drawn: small numbers alone would choose the same few things. */
export const drawArbitrary: fc.Arbitrary<Draw> = fc.noBias(fc.record({ a: number, b: number, c: number, d: number }));
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant({ kind: 'none' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), at: fc.nat(11), made: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('lost' as const, 'met' as const), at: fc.nat(2) }) },
);
/** Histories of so many steps; a shrunk one has steps in which nothing but time passes. */
export const historyArbitrary = (steps: number, isTroubled: boolean): fc.Arbitrary<Turn[]> => {
  const own = isTroubled ? trouble : fc.constant({ kind: 'none' } as const);
  const turn = fc.record({ kind: kindArbitrary, draw: drawArbitrary, trouble: own });
  return fc.array(turn, { minLength: steps, maxLength: steps, size: 'max' });
};

/** A table as a process has it that ends at its nth call, of whatever kind. Calls that were under way then are done before anybody looks what was made. */
export const crashing = (table: Table, { at, made }: { readonly at: number; readonly made: boolean }): Table => {
  let calls = 0;
  const underWay = new Set<Promise<unknown>>();
  return tableWith(table, async ({ make }) => {
    const nth = calls++;
    if (nth < at || (nth === at && made)) {
      const call = make();
      underWay.add(call);
      const answer = await call.finally(() => underWay.delete(call));
      if (nth < at) return answer;
    }
    await Promise.allSettled(underWay);
    throw new Crashed('the process ended');
  });
};

/** A process that ends on its way: whether it did, or what its work answered. */
const withTrouble = async <T>(
  world: World,
  crm: Crm,
  own: Trouble,
  work: (crm: Crm) => Promise<T>,
): Promise<{ readonly answer: T } | 'ended'> => {
  if (own.kind === 'none') return { answer: await work(crm) };
  if (own.kind !== 'crash') {
    const fault = own.kind === 'lost' ? FAULTS.loseAnswer : FAULTS.conflict(1);
    world.proxy.plan(onTransactions(fault, { first: own.at, last: own.at }));
    return { answer: await work(crm).finally(() => world.proxy.plan(undefined)) };
  }
  try {
    return { answer: await work(crmOver(crashing(crm.table, own), crm.clock)) };
  } catch (error) {
    if (error instanceof Crashed) return 'ended';
    throw error;
  }
};

/** Follows a step that was not answered: it was made, or it was not. */
const follow = async (crm: Crm, step: Step, before: unknown): Promise<void> => {
  if (step.follow) return step.follow(crm);
  if ((await step.witness(crm)) === before) return;
  if (step.refusals.length > 0) throw new Error(`was made and is refused: ${step.refusals.join()}`);
  step.commit(await step.found(crm));
};

const take = async (world: World, crm: Crm, step: Step, own: Trouble): Promise<void> => {
  const before = own.kind === 'crash' || step.follow ? await step.witness(crm) : undefined;
  const outcome = await withTrouble(world, crm, own, step.run);
  if (outcome === 'ended') return follow(crm, step, before);
  const refusal = refusalOf(outcome.answer);
  if (refusal === undefined ? step.refusals.length > 0 : !step.refusals.includes(refusal))
    throw new Error(`answered ${refusal ?? 'done'}; expected ${step.refusals.join(' or ') || 'done'}`);
  if (refusal !== undefined) return;
  step.commit(outcome.answer);
  await step.follow?.(crm);
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The scene of a history: a new organization. */
export const newScene = async (world: World, account: (actor: Scene['actor']) => Promise<Id<'account'>>) => {
  const actor = await world.organization(1, false);
  let made = 0;
  const scene: Scene = {
    plain: new Plain(),
    actor,
    accounts: [await account(actor), await account(actor)],
    next: () => made++,
    now: () => world.now,
  };
  return { scene, crm: crmOver(world.table, () => world.now) };
};

/** Lets time pass, by minutes or days, and workers do what is due. */
const work = async (world: World, crm: Crm, { plain, actor }: Scene, { draw, trouble: own }: Turn): Promise<void> => {
  world.now += draw.a % 3 === 0 ? 60_000 : draw.a % 3 === 1 ? 16 * 60_000 : (1 + (draw.b % 3)) * DAY_MS;
  await withTrouble(world, crm, own, (by) => workUntilQuiet(by));
  if (own.kind === 'crash') await workUntilQuiet(crm);
  await expire(crm, actor.organizationId);
  plain.letStall(world.now);
};

/** Plays a history, and compares reads of what each step is about with the plain state, and others by turns; at the end all of them, once more when nothing is due any more. */
export const playHistory = async (
  world: World,
  { scene, crm }: Awaited<ReturnType<typeof newScene>>,
  turns: readonly Turn[],
) => {
  const log: string[] = [];
  try {
    for (const turn of turns) {
      const { kind, draw, trouble: own } = turn;
      world.now += 1_000;
      const step = kind === 'work' ? undefined : stepOf(kind, scene, draw);
      log.push(`${step?.name ?? kind} ${own.kind === 'none' ? '' : JSON.stringify(own)}`);
      if (step) await take(world, crm, step, own);
      else if (kind === 'work') await work(world, crm, scene, turn);
      await indexesUpToDate();
      for (const id of new Set(step?.touches.pipelines)) if (id) await checkPipeline(scene, crm, id);
      for (const id of new Set(step?.touches.companies)) if (id) await checkCompany(scene, crm, id);
      if (kind === 'work' || draw.c % 3 === 0) await checkSome(scene, crm, draw.a ^ draw.d);
    }
    log.push('the end');
    await checkAll(scene, crm);
    log.push('everything due is done');
    for (const ms of [0, 16 * 60_000, 16 * 60_000, DAY_MS, 100 * DAY_MS, 3 * DAY_MS]) {
      world.now += ms;
      await workUntilQuiet(crm);
      await expire(crm, scene.actor.organizationId);
    }
    scene.plain.letStall(world.now);
    await indexesUpToDate();
    await checkAll(scene, crm);
    const left = await tombstonesOf(crm, scene.actor.organizationId);
    if (left.length > 0) throw new Error(`tombstones stand for ever: ${JSON.stringify(left)}`);
  } catch (error) {
    throw new Error(`${log.length} steps, the last ones:\n${log.slice(-12).join('\n')}\n${String(error)}`, {
      cause: error,
    });
  }
};
