import { type CardUpdate, type ImportResult, importCards } from '../../shared/domain/cards/import.ts';
import type { NewCard } from '../../shared/domain/cards/input.ts';
import type { NewCompany } from '../../shared/domain/companies/fields.ts';
import { type CompanyImportResult, importCompanies } from '../../shared/domain/companies/import.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { cardBody, cardPatch, drafted, enter, entryFaults, titled } from './card-steps.ts';
import { companyBody, ofSegment } from './company-steps.ts';
import type { PlainCard, PlainCompany, PlainPipeline } from './plain.ts';
import type { Crm } from './stage.ts';
import { bit, checked, type Draw, pickOf, type Scene, type Step } from './steps.ts';

/** A row of an import: whether it is refused, and what it makes. */
interface Row<R> {
  readonly row: R;
  readonly isRefused: boolean;
  /** Changes the plain state; of what is made, with its id. */
  readonly commit: (id?: Id<'card'>) => void;
}
/** Other draws for each row. */
const turned = ({ a, b, c, d }: Draw, by: number): Draw => ({
  a: (a * 7 + by * 31) % 65_536,
  b: (b * 11 + by * 17) % 65_536,
  c: (c * 13 + by * 7) % 65_536,
  d: (d * 5 + by * 3) % 65_536,
});

const expectResult = (
  answer: ImportResult | CompanyImportResult,
  criadas: number,
  atualizadas: number,
  refused: readonly number[],
): void => {
  const reported = [answer.criadas, answer.atualizadas, ...answer.erros.map(({ linha }) => linha - 1)].join();
  const expected = [criadas, atualizadas, ...refused].join();
  if (reported !== expected)
    throw new Error(`an import says ${reported} and not ${expected}: ${JSON.stringify(answer)}`);
};

type Made = { readonly create: NewCard };
type Updated = { readonly update: CardUpdate };

const createRows = (scene: Scene, draw: Draw): Row<Made>[] =>
  Array.from({ length: draw.d % 4 }, (_, at) => cardBody(scene, turned(draw, at)))
    .filter((body) => body !== undefined)
    .map((body) => {
      const { refusals, commit } = drafted(scene, body);
      return { row: { create: body }, isRefused: refusals.length > 0, commit: (id) => commit(id as Id<'card'>) };
    });

const updateRow = (scene: Scene, card: PlainCard, draw: Draw): Row<Updated> => {
  const { plain, now } = scene;
  const { patch, change, refusals } = cardPatch(scene, draw);
  const pipeline = plain.pipelines.get(card.pipelineId) as PlainPipeline;
  const stage = bit(draw.c, 7) ? pickOf(pipeline.stages, draw.b) : undefined;
  const isMoved = stage !== undefined && stage.id !== card.stageId;
  const after = { ...card };
  change(after);
  const isDecided = isMoved && stage.tipo !== 'aberto' && card.status !== 'aberto' && stage.tipo !== card.status;
  const motivo = patch.motivoPerda;
  const faults = [
    ...refusals,
    ...(isMoved ? entryFaults(pipeline, stage, { ...after, motivo: card.motivo }, motivo) : []),
    ...checked(
      isDecided && 'CONFLICT',
      stage && !isMoved && pipeline.arquivado && 'PIPELINE_ARQUIVADO',
      motivo !== undefined && !isMoved && card.status !== 'perdido' && 'VALIDATION_ERROR',
    ),
  ];
  return {
    row: { update: { ...patch, id: card.id, estagioId: stage?.id } },
    isRefused: faults.length > 0,
    commit: () => {
      change(card);
      if (isMoved) enter(plain, card, stage, now(), { motivo });
      else if (stage) plain.place(card, stage);
    },
  };
};
const updateRows = (scene: Scene, draw: Draw): Row<Updated>[] => {
  const cards = Array.from({ length: draw.c % 3 }, (_, at) => pickOf(scene.plain.cards.values(), draw.a + at));
  return [...new Set(cards)]
    .filter((card) => card !== undefined)
    .map((card, at) => updateRow(scene, card, turned(draw, at)));
};

const cards = (scene: Scene, draw: Draw): Step<ImportResult> => {
  const [made, updated] = [createRows(scene, draw), updateRows(scene, draw)];
  const rows = [...updated.map(({ row }) => row), ...made.map(({ row }) => row)];
  const refused = [...updated, ...made].flatMap(({ isRefused }, at) => (isRefused ? [at] : []));
  const before = new Map<Id<'card'>, number | undefined>();
  const versions = async (crm: Crm) => {
    for (const { row } of updated) before.set(row.update.id, (await crm.cards.store.find(row.update.id))?.version);
  };
  /** Changes the plain state by what is stored. */
  const follow = async (crm: Crm) => {
    for (const { row, commit, isRefused } of updated) {
      const isChanged = (await crm.cards.store.find(row.update.id))?.version !== before.get(row.update.id);
      if (isChanged && isRefused) throw new Error(`a refused row changed ${row.update.id}`);
      if (isChanged) commit();
    }
    for (const { row, commit, isRefused } of made) {
      const stored = await titled(scene, crm, row.create.titulo);
      if (stored && isRefused) throw new Error(`a refused row made ${stored.id}`);
      if (stored) commit(stored.id);
    }
  };
  return {
    name: `import cards ${JSON.stringify(rows)}`,
    refusals: [],
    run: async (crm) => importCards(crm.cards, scene.actor, rows),
    commit: (answer) => {
      const stored = (of: readonly Row<unknown>[]) => of.filter(({ isRefused }) => !isRefused).length;
      expectResult(answer, stored(made), stored(updated), refused);
    },
    witness: versions,
    found: async () => ({ criadas: 0, atualizadas: 0, erros: [] }),
    follow,
    touches: {
      pipelines: [
        ...made.map(({ row }) => row.create.pipelineId),
        ...updated.map(({ row }) => scene.plain.cards.get(row.update.id)?.pipelineId),
      ],
    },
  };
};

interface PlannedCompany {
  readonly before?: PlainCompany;
  after: PlainCompany;
}
/** The companies that the rows create, in their order. */
const planCompanies = ({ plain }: Scene, rows: readonly NewCompany[]) => {
  const planned: PlannedCompany[] = [...plain.companies.values()].map((before) => ({ before, after: before }));
  const counts = { created: 0, updated: 0, refused: [] as number[] };
  for (const [at, row] of rows.entries()) {
    const meant = planned.filter(({ after }) =>
      row.cnpj === undefined ? after.nome === row.nome : after.cnpj === row.cnpj,
    );
    const [one] = meant;
    const contact = row.contatoPrincipalId;
    const isUnknown =
      contact !== undefined && contact !== one?.after.contatoPrincipalId && !plain.contacts.has(contact);
    if (meant.length > 1 || isUnknown) counts.refused.push(at);
    else if (one) {
      const sent = Object.entries(row).filter(([, value]) => value !== undefined);
      one.after = { ...one.after, ...Object.fromEntries(sent) };
      counts.updated++;
    } else {
      planned.push({ after: { id: '' as Id<'company'>, ...row } });
      counts.created++;
    }
  }
  return { ...counts, changed: planned.filter(({ before, after }) => before !== after) };
};

const companies = (scene: Scene, draw: Draw): Step<CompanyImportResult> => {
  const { plain, actor } = scene;
  const rows = Array.from({ length: 1 + (draw.d % 4) }, (_, at) => companyBody(scene, turned(draw, at)));
  const { created, updated, refused, changed } = planCompanies(scene, rows);
  return {
    name: `import companies ${JSON.stringify(rows)}`,
    refusals: [],
    run: (crm) => importCompanies(crm.companies.importPorts, actor, { empresas: rows.map((valid) => ({ valid })) }),
    commit: (answer) => expectResult(answer, created, updated, refused),
    witness: async () => undefined,
    found: async () => ({ criadas: 0, atualizadas: 0, erros: [] }),
    follow: async (crm) => {
      for (const { before, after } of changed) {
        const stored = await ofSegment(scene, crm, after.segmento);
        if (stored) plain.companies.set(stored.company.id, { ...after, id: before?.id ?? stored.company.id });
      }
    },
    touches: {},
  };
};

export const IMPORT_STEPS = { cards, companies };
