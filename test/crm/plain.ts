import type { Id } from '../../shared/domain/core/ids.ts';

/** A CRM in memory, kept as a person would on paper: nothing is counted, indexed or cleared later. */
export type Status = 'aberto' | 'ganho' | 'perdido';

export interface PlainStage {
  readonly id: Id<'stage'>;
  tipo: Status;
  probabilidade?: number | undefined;
  dias?: number | undefined;
  obrigatorios: readonly string[];
  /** Its cards, in the order of the board. */
  cards: Id<'card'>[];
}
export interface PlainPipeline {
  readonly id: Id<'pipeline'>;
  arquivado: boolean;
  stages: PlainStage[];
}
export interface PlainCard {
  readonly id: Id<'card'>;
  titulo: string;
  pipelineId: Id<'pipeline'>;
  stageId: Id<'stage'>;
  status: Status;
  centavos?: number | undefined;
  moeda: string;
  contatoId?: Id<'contact'> | undefined;
  empresaId?: Id<'company'> | undefined;
  motivo?: string | undefined;
  parado: boolean;
  desde: number;
  /** Of a won or lost card: the open stage that it came from. */
  openStageId?: Id<'stage'> | undefined;
}
export interface PlainCompany {
  readonly id: Id<'company'>;
  nome: string;
  segmento?: string | undefined;
  cnpj?: string | undefined;
  responsavelId?: Id<'account'> | undefined;
  contatoPrincipalId?: Id<'contact'> | undefined;
}
export interface PlainContact {
  readonly id: Id<'contact'>;
  readonly phone: string;
  name?: string | undefined;
  companyId?: Id<'company'> | undefined;
}
export interface PlainActivity {
  readonly id: Id<'activity'>;
  readonly titulo: string;
  cardId?: Id<'card'> | undefined;
  contactId?: Id<'contact'> | undefined;
  companyId?: Id<'company'> | undefined;
}

const DAY_MS = 24 * 3_600_000;

export class Plain {
  readonly pipelines = new Map<Id<'pipeline'>, PlainPipeline>();
  readonly cards = new Map<Id<'card'>, PlainCard>();
  readonly companies = new Map<Id<'company'>, PlainCompany>();
  readonly contacts = new Map<Id<'contact'>, PlainContact>();
  readonly activities = new Map<Id<'activity'>, PlainActivity>();
  /** Contacts that were merged, with the ones that they were merged into. */
  readonly merged = new Map<Id<'contact'>, Id<'contact'>>();
  /** Ids of what is gone: it may be named all the same. */
  readonly gone = { card: [] as Id<'card'>[], company: [] as Id<'company'>[], contact: [] as Id<'contact'>[] };

  stage(id: Id<'stage'>): PlainStage | undefined {
    return [...this.pipelines.values()].flatMap(({ stages }) => stages).find((stage) => stage.id === id);
  }
  cardsOf(where: Partial<PlainCard>): PlainCard[] {
    const fields = Object.keys(where) as (keyof PlainCard)[];
    return [...this.cards.values()].filter((card) => fields.every((field) => card[field] === where[field]));
  }
  hasCards({ stages }: PlainPipeline): boolean {
    return stages.some(({ cards }) => cards.length > 0);
  }

  /** Puts a card in a stage: at the end, or beside another one. */
  place(card: PlainCard, stage: PlainStage, beside?: { readonly id: Id<'card'>; readonly after: boolean }): void {
    this.unplace(card);
    const at = beside ? stage.cards.indexOf(beside.id) + (beside.after ? 1 : 0) : stage.cards.length;
    stage.cards.splice(at, 0, card.id);
  }
  unplace({ id, stageId }: PlainCard): void {
    const stage = this.stage(stageId);
    if (stage) stage.cards = stage.cards.filter((each) => each !== id);
  }

  removeCard(card: PlainCard): void {
    this.unplace(card);
    this.cards.delete(card.id);
    this.gone.card.push(card.id);
    for (const { id, cardId } of this.activities.values()) if (cardId === card.id) this.activities.delete(id);
  }
  removeCompany({ id }: PlainCompany): void {
    this.companies.delete(id);
    this.gone.company.push(id);
    for (const contact of this.contacts.values()) if (contact.companyId === id) contact.companyId = undefined;
    for (const card of this.cards.values()) if (card.empresaId === id) card.empresaId = undefined;
    for (const activity of this.activities.values()) if (activity.companyId === id) activity.companyId = undefined;
  }
  /** Removes a contact; references to it become references to its heir, or are removed. */
  removeContact({ id }: PlainContact, heir?: Id<'contact'>): void {
    this.contacts.delete(id);
    this.gone.contact.push(id);
    for (const card of this.cards.values()) if (card.contatoId === id) card.contatoId = heir;
    for (const company of this.companies.values())
      if (company.contatoPrincipalId === id) company.contatoPrincipalId = heir;
    for (const activity of this.activities.values()) if (activity.contactId === id) activity.contactId = heir;
  }
  /** The work on stalled cards that is done by `now` (ms). */
  letStall(now: number): void {
    for (const card of this.cards.values()) {
      const dias = this.stage(card.stageId)?.dias;
      card.parado = card.status === 'aberto' && dias !== undefined && card.desde + dias * DAY_MS <= now;
    }
  }

  countsOf(id: Id<'company'>) {
    const all = this.cardsOf({ empresaId: id });
    const open = all.filter(({ status }) => status === 'aberto');
    const won = all.filter(({ status }) => status === 'ganho');
    return {
      contacts: [...this.contacts.values()].filter(({ companyId }) => companyId === id).length,
      cards: all.length,
      openCards: open.length,
      openCents: sumOf(open),
      wonCards: won.length,
      wonCents: sumOf(won),
    };
  }
  /** A stage's open cards by currency, in the order of the currencies. */
  openOf({ cards }: PlainStage) {
    const open = cards.flatMap((id) => this.cards.get(id) ?? []).filter(({ status }) => status === 'aberto');
    return [...Map.groupBy(open, ({ moeda }) => moeda)]
      .map(([currency, group]) => ({ currency, cards: group.length, cents: sumOf(group) }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1));
  }
  /** Companies in the order of a list. */
  companiesByName(where: (company: PlainCompany) => boolean = () => true): PlainCompany[] {
    const key = ({ nome, id }: PlainCompany) => `${plainName(nome).replaceAll(' ', '\u0001')}\u0000${id}`;
    return [...this.companies.values()].filter(where).sort((a, b) => (key(a) < key(b) ? -1 : 1));
  }
}

const sumOf = (cards: readonly PlainCard[]): number => cards.reduce((sum, { centavos = 0 }) => sum + centavos, 0);

/** A name without accents and case. */
export const plainName = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
