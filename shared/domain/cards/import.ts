import { isRefusal, type Refusal } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { NOT_REACHED, type RefusedRow, type RowErrors, rowErrors } from '../core/refused-rows.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { unique } from '../core/unique.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { batchedPorts } from './batched-ports.ts';
import type { Card, CardCaller, CardChange, CardPorts, LinkIds } from './card.ts';
import { checkEntry, firstStage, newCard } from './cards.ts';
import { ImportPlaces, type PlacedRow } from './import-places.ts';
import { type CardPatch, type NewCard, withFields } from './input.ts';
import { checkLinks, newLinks, refuseLinks, unknownLinks } from './links.ts';
import { planMove, stepped } from './moves.ts';
import { answered, END, findPatched, namedPipeline } from './place.ts';
import { changeOf } from './records.ts';
import { checkUnlost } from './rules.ts';

/** Maximum rows of an import. */
export const MAX_ROWS = 500;

/** A row that changes a card: its id, and what changes. */
export type CardUpdate = CardPatch & { readonly id: Id<'card'>; readonly estagioId?: Id<'stage'> | undefined };
/** A row of an import: a card to create or to change, or its errors. */
export type ImportRow = { readonly create: NewCard } | { readonly update: CardUpdate } | { readonly invalid: string };
export interface ImportResult {
  readonly criadas: number;
  readonly atualizadas: number;
  readonly erros: RowErrors;
}

/** An import starts no further round after this time, in ms: its caller waits 28 s. */
const ENOUGH_MS = 20_000;
const IN_FLIGHT = 8;
/** Cards changed concurrently: they are read in one call, and stored in about 16 transactions. */
const CONCURRENT_CARDS = 100;

type Refused = Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>;
type Owned = Pick<CardCaller, 'organizationId'>;
/** A row that creates a card, with an id that stays the same over all attempts. */
interface Draft {
  readonly at: number;
  readonly id: Id<'card'>;
  readonly input: NewCard;
}

/** A row that changes a card. */
interface Updating {
  readonly at: number;
  readonly update: CardUpdate;
}

/** The errors of a refused row: fields and reasons, never values. */
const messageOf = ({ details: { detail, errors = [] } }: Refused): string =>
  errors.length === 0 ? detail : errors.map(({ path, message }) => `${path} ${message}`).join('; ');

/** The pipelines and links that the rows of a round refer to. */
const loadFor = async (ports: CardPorts, owner: Owned, drafts: readonly Draft[]) => {
  const links: LinkIds[] = drafts.map(({ input: { contatoId, empresaId, responsavelId } }) =>
    newLinks(undefined, { contactId: contatoId, companyId: empresaId, responsibleId: responsavelId }),
  );
  const pipelineIds = unique(drafts.map(({ input }) => input.pipelineId));
  const [pipelines, existing] = await Promise.all([
    mapConcurrently(pipelineIds, IN_FLIGHT, (id) => namedPipeline(ports, owner, id)),
    ports.links.existing(owner.organizationId, {
      contatoId: unique(links.flatMap((each) => each.contatoId)),
      empresaId: unique(links.flatMap((each) => each.empresaId)),
      responsavelId: unique(links.flatMap((each) => each.responsavelId)),
    }),
  ]);
  return {
    pipelineOf: new Map(pipelineIds.map((id, at) => [id, pipelines[at]])),
    unknownOf: new Map(drafts.map((draft, at) => [draft, links[at] ? unknownLinks(links[at], existing) : []])),
  };
};

const stageFor = (pipeline: Pipeline | Refused | undefined, { input }: Draft) =>
  pipeline === undefined || isRefusal(pipeline) ? pipeline : firstStage(pipeline, input.estagioId);

/** The rows of changes that move a card to a stage. */
const placedUpdates = (rows: readonly Updating[]): PlacedRow[] =>
  rows.flatMap(({ at, update: { estagioId } }) => (estagioId === undefined ? [] : [{ at, stageId: estagioId }]));

/** An import in progress, with the results of its rows so far. */
class Import {
  readonly #errors: RefusedRow[] = [];
  #created = 0;
  #updated = 0;
  readonly #ports: CardPorts;
  readonly #places: ImportPlaces;
  readonly #updates: readonly Updating[];
  readonly #caller: CardCaller;
  readonly #startedAt: number;

  constructor(ports: CardPorts, caller: CardCaller, updates: readonly Updating[]) {
    this.#ports = ports;
    this.#places = new ImportPlaces(ports, caller);
    this.#updates = updates;
    this.#caller = caller;
    this.#startedAt = ports.clock();
  }

  #isLate(): boolean {
    return this.#ports.clock() - this.#startedAt > ENOUGH_MS;
  }

  /** The changes that create the cards of drafts; records refused rows. */
  async #plan(drafts: readonly Draft[]): Promise<Map<Draft, CardChange>> {
    const [ports, caller] = [this.#ports, this.#caller];
    const { pipelineOf, unknownOf } = await loadFor(ports, caller, drafts);
    const stages = new Map(drafts.map((draft) => [draft, stageFor(pipelineOf.get(draft.input.pipelineId), draft)]));
    const created = [...stages].flatMap(([{ at }, stage]) =>
      stage && !isRefusal(stage) ? [{ at, stageId: stage.id }] : [],
    );
    await this.#places.reserve([...created, ...placedUpdates(this.#updates)]);
    const changes = new Map<Draft, CardChange>();
    for (const [draft, stage] of stages) {
      const pipeline = pipelineOf.get(draft.input.pipelineId);
      const unknown = unknownOf.get(draft) ?? [];
      if (!stage || !pipeline || isRefusal(stage) || isRefusal(pipeline)) {
        if (isRefusal(stage)) this.refuse(draft.at, messageOf(stage));
        continue;
      }
      const now = ports.clock();
      const target = { pipeline, stage, order: this.#places.orderOf({ at: draft.at, stageId: stage.id }) };
      const card = newCard(caller, draft.id, draft.input, target, now);
      const refused = checkEntry(card, target) ?? (unknown.length > 0 ? refuseLinks(unknown) : undefined);
      if (refused) this.refuse(draft.at, messageOf(refused));
      else changes.set(draft, changeOf(caller, undefined, card, now));
    }
    return changes;
  }

  refuse(at: number, message: string): void {
    this.#errors.push({ at, message });
  }

  /** Creates cards; returns the drafts that conflicted with other changes and may be retried. */
  async #createRound(drafts: readonly Draft[]): Promise<Draft[]> {
    const planned = [...(await this.#plan(drafts))];
    const outcomes = await this.#ports.store.saveAll(planned.map(([, change]) => change));
    return planned.flatMap(([draft], place) => {
      const outcome = outcomes[place];
      if (outcome?.kind === 'saved') this.#created++;
      if (outcome?.kind === 'unknown') this.refuse(draft.at, messageOf(refuseLinks([outcome.field])));
      return outcome?.kind === 'conflict' ? [draft] : [];
    });
  }

  /** Creates the cards of drafts. Conflicting ones are retried, unless an attempt whose response was lost had created them. */
  async create(drafts: readonly Draft[]): Promise<void> {
    let pending = drafts;
    await retryOnConflict('The pipeline', async (attempt) => {
      if (attempt > 0) {
        const ids = pending.map(({ id }) => id);
        const stored = await this.#ports.store.readMany(this.#caller.organizationId, ids);
        this.#created += stored.filter(Boolean).length;
        pending = pending.filter((_, at) => !stored[at]);
      }
      if (pending.length > 0 && !this.#isLate()) pending = await this.#createRound(pending);
      return pending.length === 0 || this.#isLate() ? undefined : CONFLICT;
    });
    for (const { at } of pending) this.refuse(at, NOT_REACHED);
  }

  /** Changes a card like a PATCH, and moves it to the end of the row's stage, in one change. */
  #change(ports: CardPorts, { at, update: row }: Updating): Promise<Card | Refused> {
    const caller = this.#caller;
    const { id, estagioId, ...patch } = row;
    return retryOnConflict('The card', async () => {
      const before = await findPatched(ports, caller, id, patch);
      if (isRefusal(before)) return before;
      const changed = withFields(before, patch);
      const refused = await checkLinks(ports.links, caller.organizationId, before, changed);
      if (refused) return refused;
      const now = ports.clock();
      const after = await this.#moved(ports, changed, at, { estagioId, motivoPerda: patch.motivoPerda }, now);
      if (isRefusal(after)) return after;
      const unlost = checkUnlost(after);
      if (unlost) return unlost;
      const change = changeOf(caller, before, after, now);
      if (!change.entry && after.order === before.order) return before;
      return answered(await ports.store.save(change), after);
    });
  }

  async #moved(
    ports: CardPorts,
    card: Card,
    at: number,
    { estagioId, motivoPerda }: Pick<CardUpdate, 'estagioId' | 'motivoPerda'>,
    now: number,
  ) {
    if (estagioId === undefined) return card;
    const pipeline = await namedPipeline(ports, this.#caller, card.pipelineId);
    if (isRefusal(pipeline)) return pipeline;
    const step = planMove({ estagioId, motivoPerda }, END)(card, pipeline);
    if (isRefusal(step)) return step;
    const order = this.#places.orderOf({ at, stageId: estagioId });
    return stepped(ports, card, pipeline, { ...step, order }, now);
  }

  /** Changes cards, many per call to the table; rows of the same card in order. */
  async update(): Promise<void> {
    await this.#places.reserve(placedUpdates(this.#updates));
    const ports = batchedPorts(this.#ports, this.#caller.organizationId);
    const byCard = [...Map.groupBy(this.#updates, ({ update }) => update.id).values()];
    await mapConcurrently(byCard, CONCURRENT_CARDS, async (group) => {
      for (const row of group) {
        const { at } = row;
        const outcome = this.#isLate() ? undefined : await this.#change(ports, row);
        if (outcome === undefined) this.refuse(at, NOT_REACHED);
        else if (isRefusal(outcome)) this.refuse(at, messageOf(outcome));
        else this.#updated++;
      }
    });
  }

  result(): ImportResult {
    return { criadas: this.#created, atualizadas: this.#updated, erros: rowErrors(this.#errors) };
  }
}

/** Imports cards: a row with an id changes its card, any other creates one. Valid rows are stored even if others fail. */
export const importCards = async (
  ports: CardPorts,
  caller: CardCaller,
  rows: readonly ImportRow[],
): Promise<ImportResult> => {
  const updates = rows.flatMap((row, at) => ('update' in row ? [{ at, update: row.update }] : []));
  const run = new Import(ports, caller, updates);
  for (const [at, row] of rows.entries()) if ('invalid' in row) run.refuse(at, row.invalid);
  const drafts = rows.flatMap((row, at) => ('create' in row ? [{ at, id: newId('card'), input: row.create }] : []));
  await run.create(drafts);
  await run.update();
  return run.result();
};
