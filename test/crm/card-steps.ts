import type { Card } from '../../shared/domain/cards/card.ts';
import { changeCard, createCard, deleteCard } from '../../shared/domain/cards/cards.ts';
import type { CardPatch, NewCard } from '../../shared/domain/cards/input.ts';
import { closeCard, type Move, moveCard, reopenCard } from '../../shared/domain/cards/moves.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Plain, PlainCard, PlainPipeline, PlainStage, Status } from './plain.ts';
import type { Crm } from './stage.ts';
import { bit, checked, type Draw, linkOf, pickOf, type Scene, type Step } from './steps.ts';

const AMOUNTS = [undefined, 0, 0.01, 0.1, 0.2, 10.35, 1_234.56, 999_999_999.99] as const;
const CURRENCIES = ['BRL', 'USD'] as const;
const centsOf = (valor: number | undefined) => (valor === undefined ? undefined : Math.round(valor * 100));

type Links = Pick<PlainCard, 'contatoId' | 'empresaId'>;
const unknownLinks = ({ contacts, companies }: Plain, { contatoId, empresaId }: Links): boolean =>
  (contatoId !== undefined && !contacts.has(contatoId)) || (empresaId !== undefined && !companies.has(empresaId));

/** Why a card may not come into a stage as this. */
export const entryFaults = (pipeline: PlainPipeline, stage: PlainStage, card: PlainCard, motivo?: string) => {
  const has = { valor: card.centavos, contatoId: card.contatoId, empresaId: card.empresaId };
  const lacks = stage.obrigatorios.some((field) => has[field as keyof typeof has] === undefined);
  return checked(
    pipeline.arquivado && 'PIPELINE_ARQUIVADO',
    lacks && 'VALIDATION_ERROR',
    stage.tipo === 'perdido' && motivo === undefined && card.motivo === undefined && 'VALIDATION_ERROR',
  );
};

export const setStatus = (card: PlainCard, status: Status, motivo?: string): void => {
  if (status === 'aberto') card.openStageId = undefined;
  else if (card.status === 'aberto') card.openStageId = card.stageId;
  if (status !== card.status) card.parado = false;
  card.status = status;
  card.motivo = status === 'perdido' ? (motivo ?? card.motivo) : undefined;
};

/** Puts a card into another stage, at its end unless beside another card. */
export const enter = (
  plain: Plain,
  card: PlainCard,
  stage: PlainStage,
  now: number,
  { motivo, beside }: { motivo?: string | undefined; beside?: Parameters<Plain['place']>[2] } = {},
): void => {
  plain.place(card, stage, beside);
  setStatus(card, stage.tipo, motivo);
  const pipeline = [...plain.pipelines.values()].find(({ stages }) => stages.includes(stage));
  Object.assign(card, { stageId: stage.id, pipelineId: pipeline?.id, parado: false, desde: now });
};

const versionOf = (id: Id<'card'>) => async (crm: Crm) => (await crm.cards.store.find(id))?.version;
/** The cards of the history with this title, in all of its stages. */
export const titled = async ({ plain }: Scene, crm: Crm, titulo: string): Promise<Card | undefined> => {
  const stages = [...plain.pipelines.values()].flatMap((pipeline) => pipeline.stages);
  for (const { id } of stages) {
    const { cards } = await crm.cards.store.inStage(id, undefined, 1_000);
    const found = cards.find(({ title }) => title === titulo);
    if (found) return found;
  }
  return undefined;
};

/** The body of a new card. */
export const cardBody = ({ plain, next }: Scene, { a, b, c, d }: Draw): NewCard | undefined => {
  const pipeline = pickOf(plain.pipelines.values(), a);
  if (!pipeline) return undefined;
  const stage = bit(c, 0) ? pickOf(pipeline.stages, a >> 3) : undefined;
  return {
    pipelineId: pipeline.id,
    estagioId: stage?.id,
    titulo: `Negócio ${next()}`,
    valor: pickOf(AMOUNTS, d),
    moeda: pickOf(CURRENCIES, d >> 3),
    contatoId: linkOf(plain.contacts.keys(), plain.gone.contact, b),
    empresaId: linkOf(plain.companies.keys(), plain.gone.company, b >> 6),
    motivoPerda: bit(c, 1) || bit(c, 2) ? 'preço' : undefined,
  };
};
/** A new card, the reason why it may be refused, and its position. */
export const drafted = ({ plain, now }: Scene, body: NewCard, id = '' as Id<'card'>) => {
  const pipeline = plain.pipelines.get(body.pipelineId) as PlainPipeline;
  const stage = pipeline.stages.find((each) =>
    body.estagioId === undefined ? each.tipo === 'aberto' : each.id === body.estagioId,
  ) as PlainStage;
  const card: PlainCard = {
    id,
    titulo: body.titulo,
    pipelineId: pipeline.id,
    stageId: stage.id,
    status: 'aberto',
    centavos: centsOf(body.valor),
    moeda: body.moeda ?? 'BRL',
    contatoId: body.contatoId,
    empresaId: body.empresaId,
    parado: false,
    desde: now(),
  };
  const refusals = [
    ...entryFaults(pipeline, stage, card, body.motivoPerda),
    ...checked(unknownLinks(plain, card) && 'VINCULO_INVALIDO'),
  ];
  const commit = (made: Id<'card'>): void => {
    const own = { ...card, id: made };
    plain.cards.set(made, own);
    plain.place(own, stage);
    setStatus(own, stage.tipo, body.motivoPerda);
    own.openStageId = stage.tipo === 'aberto' ? undefined : stage.id;
  };
  return { refusals, commit, touches: { pipelines: [pipeline.id], companies: [card.empresaId] } };
};

const create = (scene: Scene, draw: Draw): Step<Card> | undefined => {
  const body = cardBody(scene, draw);
  if (!body) return undefined;
  const { refusals, commit, touches } = drafted(scene, body);
  return {
    name: `create card ${body.titulo}`,
    refusals,
    run: (crm) => createCard(crm.cards, scene.actor, body) as Promise<Card>,
    commit: ({ id }) => commit(id),
    witness: async (crm) => (await titled(scene, crm, body.titulo))?.id,
    found: async (crm) => (await titled(scene, crm, body.titulo)) as Card,
    touches,
  };
};

/** A card that is there, or one that is gone. */
const cardOf = ({ plain }: Scene, number: number): { id: Id<'card'>; card?: PlainCard } | undefined => {
  const id =
    number % 31 === 30 ? pickOf(plain.gone.card.slice(-3), number >> 5) : pickOf(plain.cards.keys(), number >> 5);
  const card = id && plain.cards.get(id);
  return id && { id, ...(card ? { card } : {}) };
};
/** A step with a card: what it may not, and what it makes of it. */
const withCard = (
  scene: Scene,
  draw: Draw,
  verb: string,
  plan: (
    card: PlainCard,
    pipeline: PlainPipeline,
  ) => { readonly refusals: string[]; readonly commit: () => void; readonly touches?: Step['touches'] },
  run: (crm: Crm, id: Id<'card'>) => Promise<unknown>,
): Step | undefined => {
  const chosen = cardOf(scene, draw.a);
  if (!chosen) return undefined;
  const { id, card } = chosen;
  const planned = card && plan(card, scene.plain.pipelines.get(card.pipelineId) as PlainPipeline);
  return {
    name: `${verb} of ${id}`,
    refusals: planned?.refusals ?? ['NOT_FOUND'],
    run: (crm) => run(crm, id),
    commit: () => planned?.commit(),
    witness: versionOf(id),
    found: async () => undefined,
    touches: {
      pipelines: [card?.pipelineId, ...(planned?.touches?.pipelines ?? [])],
      companies: [card?.empresaId, ...(planned?.touches?.companies ?? [])],
    },
  };
};

/** A change of a card's fields, and what it makes of the card. */
export const cardPatch = ({ plain, next }: Scene, { b, c, d }: Draw) => {
  const patch: CardPatch = {
    ...(bit(c, 0) ? { titulo: `Negócio ${next()}` } : {}),
    ...(bit(c, 1) ? { valor: pickOf(AMOUNTS, d) ?? null } : {}),
    ...(bit(c, 2) ? { moeda: pickOf(CURRENCIES, d >> 3) } : {}),
    ...(bit(c, 3) ? { contatoId: linkOf(plain.contacts.keys(), plain.gone.contact, b) ?? null } : {}),
    ...(bit(c, 4) ? { empresaId: linkOf(plain.companies.keys(), plain.gone.company, b >> 6) ?? null } : {}),
    ...(c % 23 === 5 ? { motivoPerda: 'prazo' } : {}),
  };
  const change = (card: PlainCard): void => {
    if (patch.titulo !== undefined) card.titulo = patch.titulo;
    if (patch.valor !== undefined) card.centavos = centsOf(patch.valor ?? undefined);
    if (patch.moeda !== undefined) card.moeda = patch.moeda;
    if (patch.contatoId !== undefined) card.contatoId = patch.contatoId ?? undefined;
    if (patch.empresaId !== undefined) card.empresaId = patch.empresaId ?? undefined;
    if (patch.motivoPerda !== undefined) card.motivo = patch.motivoPerda;
  };
  const named = { contatoId: patch.contatoId ?? undefined, empresaId: patch.empresaId ?? undefined };
  return {
    patch,
    change,
    refusals: checked(unknownLinks(plain, named) && 'VINCULO_INVALIDO'),
    touches: { companies: [named.empresaId] },
  };
};

const change = (scene: Scene, draw: Draw): Step | undefined => {
  const { patch, change: apply, refusals, touches } = cardPatch(scene, draw);
  return withCard(
    scene,
    draw,
    `change card ${JSON.stringify(patch)}`,
    (card) => ({
      refusals: [
        ...refusals,
        ...checked(patch.motivoPerda !== undefined && card.status !== 'perdido' && 'VALIDATION_ERROR'),
      ],
      commit: () => apply(card),
      touches,
    }),
    (crm, id) => changeCard(crm.cards, scene.actor, id, patch),
  );
};

const move = (scene: Scene, draw: Draw): Step | undefined => {
  const { plain, now } = scene;
  const { b, c, d } = draw;
  const isElsewhere = c % 5 === 0;
  const chosen = cardOf(scene, draw.a);
  const other = isElsewhere ? pickOf(plain.pipelines.values(), b) : undefined;
  const pipeline = other ?? (chosen?.card && plain.pipelines.get(chosen.card.pipelineId));
  const stage = pipeline && pickOf(pipeline.stages, b >> 3);
  if (!stage) return undefined;
  const beside = c % 3 === 0 ? undefined : c % 37 === 1 ? pickOf(plain.cards.keys(), d) : pickOf(stage.cards, d);
  const motivoPerda = bit(d, 7) || bit(d, 8) ? 'preço' : undefined;
  const body: Move = {
    estagioId: stage.id,
    ...(other ? { pipelineId: other.id } : {}),
    ...(beside ? { [c % 3 === 1 ? 'antesDe' : 'depoisDe']: beside } : {}),
    motivoPerda,
  };
  const place = beside && { id: beside, after: c % 3 !== 1 };
  return withCard(
    scene,
    draw,
    `move card ${JSON.stringify(body)}`,
    (card) => {
      const isOwn = card.stageId === stage.id;
      const isDecided = !isOwn && stage.tipo !== 'aberto' && card.status !== 'aberto' && stage.tipo !== card.status;
      const isAbsent = beside !== undefined && (beside === card.id || !stage.cards.includes(beside));
      return {
        refusals: [
          ...checked(isDecided && 'CONFLICT', isAbsent && 'VALIDATION_ERROR'),
          ...(isOwn
            ? checked(pipeline.arquivado && 'PIPELINE_ARQUIVADO')
            : entryFaults(pipeline, stage, card, motivoPerda)),
        ],
        commit: () =>
          isOwn
            ? plain.place(card, stage, place)
            : enter(plain, card, stage, now(), { motivo: motivoPerda, beside: place }),
        touches: { pipelines: [pipeline.id] },
      };
    },
    (crm, id) => moveCard(crm.cards, scene.actor, id, body),
  );
};

const close = (scene: Scene, draw: Draw): Step | undefined => {
  const status = draw.b % 2 === 0 ? 'ganho' : 'perdido';
  const motivo = status === 'perdido' ? 'preço' : undefined;
  return withCard(
    scene,
    draw,
    `close card as ${status}`,
    (card, pipeline) => {
      const stage = pipeline.stages.find(({ tipo }) => tipo === status);
      const entry = stage
        ? entryFaults(pipeline, stage, card, motivo)
        : checked(pipeline.arquivado && 'PIPELINE_ARQUIVADO');
      return {
        refusals: [...checked(card.status !== 'aberto' && 'CONFLICT'), ...entry],
        commit: () =>
          stage ? enter(scene.plain, card, stage, scene.now(), { motivo }) : setStatus(card, status, motivo),
      };
    },
    (crm, id) => closeCard(crm.cards, scene.actor, id, status, motivo),
  );
};

const reopen = (scene: Scene, draw: Draw): Step | undefined => {
  const chosen = cardOf(scene, draw.a)?.card;
  const own = chosen && scene.plain.pipelines.get(chosen.pipelineId);
  const named = draw.b % 3 === 0 ? pickOf(own?.stages ?? [], draw.c) : undefined;
  return withCard(
    scene,
    draw,
    `reopen card ${named?.id ?? ''}`,
    (card, pipeline) => {
      const open = pipeline.stages.filter(({ tipo }) => tipo === 'aberto');
      const stage = named ?? open.find(({ id }) => id === card.openStageId) ?? (open[0] as PlainStage);
      return {
        refusals: [
          ...checked(card.status === 'aberto' && 'CONFLICT', stage.tipo !== 'aberto' && 'VALIDATION_ERROR'),
          ...entryFaults(pipeline, stage, card),
        ],
        commit: () => {
          if (stage.id !== card.stageId) return enter(scene.plain, card, stage, scene.now());
          setStatus(card, 'aberto');
          card.desde = scene.now();
        },
      };
    },
    (crm, id) => reopenCard(crm.cards, scene.actor, id, named?.id),
  );
};

const remove = (scene: Scene, draw: Draw): Step | undefined =>
  withCard(
    scene,
    draw,
    'delete card',
    (card) => ({ refusals: [], commit: () => scene.plain.removeCard(card) }),
    (crm, id) => deleteCard(crm.deletingCards, scene.actor, id),
  );

export const CARD_STEPS = { create, change, move, close, reopen, remove };
