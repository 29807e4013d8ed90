import { channelOf } from '../channels/registry.ts';
import { MAX_TAG_LENGTH } from '../contacts/input.ts';
import { type FieldError, isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { jsonBytes } from '../core/json-bytes.ts';
import { checkEndpoint, type EndpointPolicy } from '../core/public-address.ts';
import { compileMessage } from '../personalization/message.ts';
import { parseDescription } from '../segments/parse.ts';
import { checkHeaders } from '../webhooks/headers.ts';
import type { JourneyDefinition, StepKind, WireGraph, WireStep, WireTrigger } from './definition.ts';
import { configPath, Faults, linkPath, stepPath } from './faults.ts';
import { outcomeOf } from './graph.ts';
import { MAX_GRAPH_BYTES } from './limits.ts';
import { instantCycles, linkFault, type OutgoingLinks, outgoingLinks, reachableFrom } from './links.ts';
import { hasWords } from './words.ts';

const TRIGGER_FIELDS: {
  readonly [T in WireTrigger['tipo']]: { readonly [F in 'listId' | 'nome' | 'segmentId']?: 'needed' | 'optional' };
} = {
  lista: { listId: 'needed' },
  segmento: { segmentId: 'needed' },
  evento: { nome: 'needed' },
  mensagem: { nome: 'optional' },
  etiqueta: { nome: 'needed' },
  manual: {},
};

const checkTrigger = (gatilho: WireTrigger, faults: Faults): void => {
  for (const field of ['listId', 'nome', 'segmentId'] as const) {
    const rule = TRIGGER_FIELDS[gatilho.tipo][field];
    const path = `gatilho.${field}`;
    faults.addIf(rule === 'needed' && gatilho[field] === undefined, path, `is required for ${gatilho.tipo}`);
    faults.addIf(rule === undefined && gatilho[field] !== undefined, path, `is not for ${gatilho.tipo}`);
  }
  const { tipo, nome } = gatilho;
  if (nome === undefined) return;
  faults.addIf(
    tipo === 'etiqueta' && nome.length > MAX_TAG_LENGTH,
    'gatilho.nome',
    `must be at most ${MAX_TAG_LENGTH} characters`,
  );
  faults.addIf(tipo === 'mensagem' && !hasWords(nome), 'gatilho.nome', 'must have a letter or a digit');
};

type ConfigOf<K extends StepKind> = Extract<WireStep, { tipo: K }>['config'];
/** The context in which a step's configuration is checked. */
interface Checking {
  readonly index: number;
  readonly faults: Faults;
  readonly policy: EndpointPolicy;
}

/** The names in a /v1 message of an `enviar` step's fields. */
const MESSAGE_FIELDS = {
  texto: 'text',
  variaveis: 'variables',
  assunto: 'subject',
  html: 'html',
  fallback: 'fallback',
} as const;

/** Not checked by its `fill`, which arrays have as well. */
const isFaults = (compiled: ReturnType<typeof compileMessage>): compiled is readonly FieldError[] =>
  Array.isArray(compiled);

/** Texts that do not compile, by their field in the configuration and in a message. */
const checkTexts = (config: object, names: Readonly<Record<string, string>>, { index, faults }: Checking): void => {
  const values: Readonly<Record<string, unknown>> = { ...config };
  for (const [field, name] of Object.entries(names)) {
    const compiled = compileMessage({ [name]: values[field] });
    for (const { path, message } of isFaults(compiled) ? compiled : [])
      faults.add(configPath(index, field + path.slice(name.length)), message);
  }
};

const checkMessage = (config: ConfigOf<'enviar'>, checking: Checking): void => {
  const { index, faults } = checking;
  const { canal, rota } = config;
  for (const field of ['assunto', 'html', 'transacional'] as const)
    faults.addIf(canal !== 'email' && config[field] !== undefined, configPath(index, field), 'is for e-mail only');
  const needsSubject = canal === 'email' && config.template === undefined && config.assunto === undefined;
  faults.addIf(
    needsSubject && (config.html !== undefined || config.transacional !== undefined),
    configPath(index, 'assunto'),
    'is required with html and with transacional',
  );
  faults.addIf(
    config.fallbackApos !== undefined && config.fallback === undefined,
    configPath(index, 'fallbackApos'),
    'is for a fallback only',
  );
  const { routes } = channelOf(canal);
  if (rota !== undefined && !routes.includes(rota))
    faults.add(
      configPath(index, 'rota'),
      routes.length === 0 ? 'is not for this channel' : `must be one of ${routes.join(', ')}`,
    );
  checkTexts(config, MESSAGE_FIELDS, checking);
};

const checkCondition = ({ filterTree }: ConfigOf<'condicao'>, { index, faults }: Checking): void => {
  const parsed = filterTree ? parseDescription({ filters: [], filterTree }) : undefined;
  if (!isRefusal(parsed)) return;
  for (const { path, message } of parsed.details.errors ?? []) faults.add(configPath(index, path), message);
};

const checkBranches = ({ ramos }: ConfigOf<'divisao'>, { index, faults }: Checking): void => {
  for (const [at, { nome }] of ramos.entries())
    faults.addIf(
      ramos.findIndex((each) => each.nome === nome) < at,
      configPath(index, `ramos.${at}.nome`),
      'must not be repeated',
    );
};

const checkWebhook = ({ url, cabecalhos }: ConfigOf<'webhook'>, { index, faults, policy }: Checking): void => {
  const address = checkEndpoint(url, policy);
  if (address) faults.add(configPath(index, 'url'), address);
  const headers = cabecalhos && checkHeaders(cabecalhos);
  if (headers) faults.add(configPath(index, 'cabecalhos'), headers);
};

const checkConfig = (step: WireStep, checking: Checking): void => {
  if (step.tipo === 'enviar') checkMessage(step.config, checking);
  if (step.tipo === 'condicao') checkCondition(step.config, checking);
  if (step.tipo === 'divisao') checkBranches(step.config, checking);
  if (step.tipo === 'webhook') checkWebhook(step.config, checking);
};

/** A step that checks a message must come after the one that sends it. */
const checkReferences = (steps: readonly WireStep[], links: OutgoingLinks, faults: Faults): void => {
  const kinds = new Map(steps.map(({ chave, tipo }) => [chave, tipo]));
  for (const [index, { chave, tipo, config }] of steps.entries()) {
    if ((tipo !== 'esperar_evento' && tipo !== 'condicao') || config.passo === undefined) continue;
    const path = configPath(index, 'passo');
    if (kinds.get(config.passo) !== 'enviar') faults.add(path, 'must be the key of a step that sends');
    else
      faults.addIf(
        !reachableFrom(links, [config.passo]).has(chave),
        path,
        'must be a step that runs come through before',
      );
  }
};

const checkLinks = ({ passos, ligacoes }: JourneyDefinition, faults: Faults): void => {
  const steps = new Map(passos.map((step) => [step.chave, step]));
  const taken = new Set<string>();
  for (const [index, link] of ligacoes.entries()) {
    const step = steps.get(link.de);
    faults.addIf(!step, linkPath(index, 'de'), 'must be the key of a step');
    faults.addIf(!steps.has(link.para), linkPath(index, 'para'), 'must be the key of a step');
    const fault = step && linkFault(link, step);
    if (fault) faults.add(linkPath(index, fault.field), fault.message);
    const outcome = `${link.de} ${outcomeOf(link)}`;
    const field = link.quando === 'ramo' ? 'ramo' : 'quando';
    faults.addIf(taken.has(outcome), linkPath(index, field), 'must not be that of another link of the step');
    taken.add(outcome);
  }
};

const checkPaths = (definition: JourneyDefinition, faults: Faults): void => {
  const { passos } = definition;
  const links = outgoingLinks(definition);
  const reached = reachableFrom(
    links,
    passos.slice(0, 1).map(({ chave }) => chave),
  );
  for (const [index, { chave }] of passos.entries())
    faults.addIf(!reached.has(chave), stepPath(index), 'must be reached by links from the first step');
  for (const index of instantCycles(definition))
    faults.add(linkPath(index, 'para'), 'must not close a cycle of steps without a wait');
  checkReferences(passos, links, faults);
};

/** Whether a graph takes more bytes than a version may have. */
export const isTooLarge = ({ passos, ligacoes }: WireGraph): boolean =>
  jsonBytes({ passos, ligacoes }) > MAX_GRAPH_BYTES;

/**
 * All errors of a definition that has the contract's shape, by path, at most a hundred (docs/spec/journeys.md#refusals). Its external
 * references are listed by `referencesOf`.
 */
export const journeyFaults = (definition: JourneyDefinition, policy: EndpointPolicy): readonly FieldError[] => {
  const faults = new Faults();
  const { gatilho, passos, ligacoes, reentrada, intervaloReentradaHoras } = definition;
  // If it is too large, nothing else is checked.
  if (isTooLarge({ passos, ligacoes }))
    return [{ path: 'passos', message: `must take at most ${MAX_GRAPH_BYTES} bytes as JSON, with ligacoes` }];
  checkTrigger(gatilho, faults);
  faults.addIf(
    reentrada === 'nunca' && intervaloReentradaHoras !== undefined,
    'intervaloReentradaHoras',
    'is for apos_concluir only',
  );
  const keys = new Set<string>();
  for (const [index, step] of passos.entries()) {
    faults.addIf(keys.has(step.chave), stepPath(index, 'chave'), 'must not be repeated');
    keys.add(step.chave);
    checkConfig(step, { index, faults, policy });
  }
  checkLinks(definition, faults);
  checkPaths(definition, faults);
  return faults.list;
};

/** 422 with all errors of a definition; undefined if it is valid. */
export const journeyRefusal = (
  definition: JourneyDefinition,
  policy: EndpointPolicy,
): Refusal<'VALIDATION_ERROR'> | undefined => {
  const errors = journeyFaults(definition, policy);
  return errors.length === 0 ? undefined : refuse('VALIDATION_ERROR', { detail: 'The journey is not valid.', errors });
};
