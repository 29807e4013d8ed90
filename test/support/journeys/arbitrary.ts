import fc from 'fast-check';
import { newId } from '../../../shared/domain/core/ids.ts';
import {
  type JourneyDefinition,
  type LinkOutcome,
  SENT_STATUSES,
  STEP_KINDS,
  type StepKind,
  WEEKDAYS,
  type WireDuration,
  type WireLink,
  type WireStep,
} from '../../../shared/domain/journeys/definition.ts';

/** A list of numbers that is read one by one: what a generator decides by. Zeros come when it is used up, so that shorter lists mean simpler things. */
export class Choices {
  readonly #numbers: readonly number[];
  #at = 0;
  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }
  get isSpent(): boolean {
    return this.#at >= this.#numbers.length;
  }
  below(limit: number): number {
    return (this.#numbers[this.#at++] ?? 0) % limit;
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
  /** True once in so many. */
  once(among: number): boolean {
    return this.below(among) === among - 1;
  }
}
export const arbitraryChoices = (maxLength: number) =>
  fc.array(fc.nat(1_000_000), { maxLength, size: 'max' }).map((numbers) => new Choices(numbers));

/** The customer events that generated journeys know of; the last one may be their goal. */
export const EVENTS = ['visita', 'pedido', 'compra'] as const;
const GOAL = 'compra';

const durationBy = (choices: Choices): WireDuration =>
  choices.pick<WireDuration>([
    { minutos: 1 + choices.below(90) },
    { segundos: 1 + choices.below(300) },
    { horas: 1 + choices.below(72) },
    { dias: 1 + choices.below(20) },
  ]);

interface Making {
  readonly choices: Choices;
  /** Only waits whose end a pause moves. */
  readonly onlyDurations: boolean;
  /** Steps that send on the way to the one that is made. */
  readonly senders: readonly string[];
}

const waitBy = ({ choices, onlyDurations }: Making) => {
  if (onlyDurations || !choices.once(4)) return durationBy(choices);
  const hora = `${String(choices.below(24)).padStart(2, '0')}:${choices.pick(['00', '30'])}`;
  return choices.pick([
    { ate: { hora } },
    { ate: { hora, diaDaSemana: choices.pick(WEEKDAYS) } },
    { ate: { hora, data: '2026-03-12' } },
  ]);
};
const awaitedBy = ({ choices, senders }: Making) =>
  senders.length > 0 && !choices.once(3)
    ? { passo: choices.pick(senders), status: choices.pick(SENT_STATUSES) }
    : { evento: choices.pick(EVENTS) };
const testBy = ({ choices, senders }: Making) =>
  senders.length > 0 && choices.once(2)
    ? { passo: choices.pick(senders), status: choices.pick(SENT_STATUSES) }
    : {
        filterTree: {
          kind: 'leaf',
          filter: { field: 'tag', operator: 'is', value: choices.pick(['vip', 'novo']) },
        } as const,
      };
const branchesBy = (choices: Choices) => {
  const first = 1 + choices.below(98);
  return {
    ramos: [
      { nome: 'A', peso: first },
      { nome: 'B', peso: 100 - first },
    ],
  };
};

/** Pipelines of card moves are never looked up: a definition only names them. */
const pipelineId = newId('pipeline');
const estagioId = newId('stage');

const configBy = (tipo: StepKind, making: Making): WireStep['config'] => {
  const { choices } = making;
  switch (tipo) {
    case 'enviar':
      return { canal: choices.pick(['sms', 'whatsapp', 'push'] as const), texto: 'Olá, {{contato.nome|você}}' };
    case 'esperar':
      return waitBy(making);
    case 'esperar_evento':
      return { ...awaitedBy(making), prazo: durationBy(choices) };
    case 'condicao':
      return testBy(making);
    case 'divisao':
      return branchesBy(choices);
    case 'etiqueta':
      return { adicionar: ['vip'] };
    case 'atributo':
      return { chave: 'plano', valor: 'ouro' };
    case 'mover_cartao':
      return { pipelineId, estagioId, criar: { titulo: 'Novo' } };
    case 'webhook':
      return { url: 'https://loja.example/jornada' };
    case 'sair':
      return {};
  }
};

/** The links that a step may have, and whether each takes time to go. */
const outcomesOf = ({
  tipo,
  config,
}: WireStep): readonly { quando: LinkOutcome; ramo?: string; takesTime: boolean }[] => {
  switch (tipo) {
    case 'sair':
      return [];
    case 'condicao':
      return [
        { quando: 'sim', takesTime: false },
        { quando: 'nao', takesTime: false },
      ];
    case 'divisao':
      return config.ramos.map(({ nome }) => ({ quando: 'ramo', ramo: nome, takesTime: false }));
    case 'esperar_evento':
      return [
        { quando: 'evento', takesTime: config.passo === undefined },
        { quando: 'tempo_esgotado', takesTime: true },
      ];
    case 'esperar':
      return [{ quando: 'padrao', takesTime: config.ate?.data === undefined }];
    default:
      return [{ quando: 'padrao', takesTime: false }];
  }
};

interface Slot {
  readonly from: number;
  readonly link: Omit<WireLink, 'para'>;
  readonly takesTime: boolean;
}
const slotsOf = (step: WireStep, from: number): Slot[] =>
  outcomesOf(step).map(({ takesTime, ...outcome }) => ({ from, takesTime, link: { de: step.chave, ...outcome } }));

interface Bounds {
  readonly maxSteps: number;
  readonly onlyDurations?: boolean;
}

/** Every kind, those more often that steps ask about and that take time. */
const KINDS: readonly StepKind[] = [
  ...STEP_KINDS,
  'enviar',
  'enviar',
  'esperar_evento',
  'esperar_evento',
  'condicao',
  'esperar',
];

/** A valid journey: every step hangs on an earlier one, and other links lead back where going there takes time, else onward. */
export const definitionBy = (choices: Choices, { maxSteps, onlyDurations = false }: Bounds): JourneyDefinition => {
  const passos: WireStep[] = [];
  const links: WireLink[] = [];
  /** The steps that send on the way from the first step to each. */
  const senders: string[][] = [];
  let free: Slot[] = [];
  const size = 1 + choices.below(maxSteps);
  for (let at = 0; at < size; at++) {
    const slot = at === 0 ? undefined : choices.pick(free);
    if (at > 0 && !slot) break;
    const before = slot
      ? [...(senders[slot.from] ?? []), ...(passos[slot.from]?.tipo === 'enviar' ? [slot.link.de] : [])]
      : [];
    const tipo = choices.pick(KINDS.filter((kind) => kind !== 'sair' || free.length > 1));
    const step = {
      chave: `p${at}`,
      tipo,
      config: configBy(tipo, { choices, onlyDurations, senders: before }),
    } as WireStep;
    passos.push(step);
    senders.push(before);
    if (slot) links.push({ ...slot.link, para: step.chave });
    free = [...free.filter((each) => each !== slot), ...slotsOf(step, at)];
  }
  for (const slot of free) {
    const onward = slot.takesTime ? passos.slice(0, slot.from + 1) : passos.slice(slot.from + 1);
    if (onward.length > 0 && choices.once(2)) links.push({ ...slot.link, para: choices.pick(onward).chave });
  }
  return {
    name: 'Gerada',
    gatilho: { tipo: 'manual' },
    passos,
    ligacoes: links,
    reentrada: 'apos_concluir',
    ...(choices.once(3) ? { meta: { evento: GOAL } } : {}),
    ...(!onlyDurations && choices.once(2) ? { silencio: { inicio: '21:00', fim: '08:00' } } : {}),
  };
};

/** Random valid journeys of at most so many steps. */
export const arbitraryDefinition = (bounds: Bounds) =>
  arbitraryChoices(bounds.maxSteps * 10).map((choices) => definitionBy(choices, bounds));
