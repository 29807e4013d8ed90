import { type Caller, fieldNames } from '../audit/entry.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { definedFields, type Patch } from '../core/patch.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { isSameValue } from '../core/same-value.ts';
import type { ActivationPorts } from './activate.ts';
import { type Author, type ContactsShown, shownAfter, shownTo } from './contacts-shown.ts';
import type { JourneyDefinition, WireGraph } from './definition.ts';
import { MAX_FAULTS } from './faults.ts';
import { findJourney, lineageOf, notNow } from './find.ts';
import type { Journey } from './journey.ts';
import { withKeptHeaders } from './kept-headers.ts';
import { MAX_JOURNEYS } from './limits.ts';
import type { JourneyLineage } from './lineage.ts';
import type { WholeJourney } from './ports.ts';
import { firstSecret, hasEndpoint, type SecretPorts } from './secrets.ts';
import { changedAt, journeyEntry } from './states.ts';
import { summaryOf } from './summary.ts';
import { isTooLarge } from './validate.ts';

export interface DefinitionPorts extends ActivationPorts, SecretPorts {
  /** Checks a definition by itself: docs/spec/journeys.md#refusals. */
  readonly refusal: (definition: JourneyDefinition) => Refusal<'VALIDATION_ERROR'> | undefined;
}

/** A defined version; with the journey's signing secret if this call created it. */
export interface Defined extends WholeJourney {
  readonly secret?: string | undefined;
  /** Whether it is a new version, rather than a changed draft. */
  readonly isNew: boolean;
}

const graphIn = ({ passos, ligacoes }: JourneyDefinition): WireGraph => ({ passos, ligacoes });
/** The fields of a definition that a version's row stores. */
const fieldsOf = ({ passos, ligacoes, ...fields }: JourneyDefinition) => ({
  ...fields,
  ...summaryOf({ passos, ligacoes }),
});

const definitionOf = ({ journey, graph }: WholeJourney): JourneyDefinition => {
  const { name, gatilho, reentrada, intervaloReentradaHoras, silencio, tetoDeFrequencia, meta } = journey;
  return {
    name,
    gatilho,
    reentrada,
    ...definedFields({ intervaloReentradaHoras, silencio, tetoDeFrequencia, meta }),
    ...graph,
  };
};

/** All errors of a definition, in itself and in its references. If it is too large, nothing else is checked. */
const checked = async (
  ports: DefinitionPorts,
  caller: Caller,
  definition: JourneyDefinition,
): Promise<Refusal<'VALIDATION_ERROR'> | undefined> => {
  const own = ports.refusal(definition);
  if (own && isTooLarge(definition)) return own;
  const named = await ports.check(caller, definition, 'saving');
  if (!own || !named) return own ?? named;
  const errors = [...(own.details.errors ?? []), ...(named.details.errors ?? [])].slice(0, MAX_FAULTS);
  return refuse('VALIDATION_ERROR', { ...own.details, errors });
};

/** Records in a lineage that a version posts contacts in full. */
const fullPosts = ({ contactsShown }: Journey, graph: WireGraph): Pick<JourneyLineage, 'postsInFull'> =>
  contactsShown === 'full' && hasEndpoint(graph) ? { postsInFull: true } : {};

const LIMIT = `An organization has at most ${MAX_JOURNEYS} journeys that are not archived, all versions counted.`;

/** A draft from a definition: the first version, or the one after `previous`. */
const draftOf = (
  { organizationId, env }: Caller,
  definition: JourneyDefinition,
  contactsShown: ContactsShown,
  now: number,
  previous?: Pick<Journey, 'rootId' | 'number'>,
): Journey => {
  const id = newId('journey');
  return {
    ...fieldsOf(definition),
    id,
    organizationId,
    env,
    rootId: previous?.rootId ?? id,
    number: (previous?.number ?? 0) + 1,
    revision: 1,
    status: 'rascunho',
    pausedMs: 0,
    contactsShown,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
};

/** Creates a journey as a draft. 422 listing its errors; 409 at the organization's limit. */
export const createJourney = async (
  ports: DefinitionPorts,
  caller: Author,
  definition: JourneyDefinition,
): Promise<Defined | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const refused = await checked(ports, caller, definition);
  if (refused) return refused;
  const now = ports.clock();
  const journey = draftOf(caller, definition, shownTo(caller), now);
  const graph = graphIn(definition);
  const { id, organizationId, env } = journey;
  const lineage: JourneyLineage = { rootId: id, organizationId, env, draftId: id, secrets: [], version: 1 };
  const first = await firstSecret(ports, lineage, graph);
  const outcome = await ports.store.save({
    versions: [{ after: journey, graph }],
    lineage: { after: { ...lineage, secrets: first?.secrets ?? [], ...fullPosts(journey, graph) } },
    entry: journeyEntry(caller, id, 'created', now, { fields: fieldNames(definition) }),
  });
  return outcome === 'saved' ? { journey, graph, secret: first?.secret, isNew: true } : refuse('CONFLICT', LIMIT);
};

/** A change of a definition (JSON Merge Patch): steps and links are replaced as a whole. */
export type JourneyPatch = Patch<
  JourneyDefinition,
  'intervaloReentradaHoras' | 'silencio' | 'tetoDeFrequencia' | 'meta'
>;

const patched = (before: JourneyDefinition, patch: JourneyPatch): JourneyDefinition => {
  const { passos, ...fields } = patch;
  const merged = { ...before, ...definedFields(fields) };
  const kept = Object.entries(merged).filter(([, value]) => value !== null);
  const steps = passos ? withKeptHeaders(before.passos, passos) : before.passos;
  // Only optional fields can be null in a patch.
  return { ...(Object.fromEntries(kept) as unknown as JourneyDefinition), passos: steps };
};

/** The result of a definition's change: the changed draft, or a draft of the version after the running one. */
interface Change {
  readonly found: WholeJourney;
  readonly lineage: JourneyLineage;
  readonly definition: JourneyDefinition;
  readonly contactsShown: ContactsShown;
  readonly fields: readonly string[];
}

const changeDraft = async (
  ports: DefinitionPorts,
  caller: Caller,
  { found: { journey: before, graph: old }, lineage, definition, contactsShown, fields }: Change,
): Promise<Defined | typeof CONFLICT> => {
  const now = ports.clock();
  const graph = graphIn(definition);
  const isRedrawn = !isSameValue(graph, old);
  const { intervaloReentradaHoras, silencio, tetoDeFrequencia, meta } = definition;
  const journey = changedAt(before, now, {
    ...fieldsOf(definition),
    intervaloReentradaHoras,
    silencio,
    tetoDeFrequencia,
    meta,
    contactsShown,
    revision: before.revision + (isRedrawn ? 1 : 0),
  });
  const first = await firstSecret(ports, lineage, graph);
  const noted = { ...lineage, secrets: first?.secrets ?? lineage.secrets, ...fullPosts(journey, graph) };
  const outcome = await ports.store.save({
    versions: [{ before, after: journey, ...(isRedrawn ? { graph } : {}) }],
    lineage: isSameValue(noted, lineage)
      ? undefined
      : { before: lineage, after: { ...noted, version: lineage.version + 1 } },
    entry: journeyEntry(caller, before.id, 'changed', now, { fields: [...fields] }),
  });
  return outcome === 'saved' ? { journey, graph, secret: first?.secret, isNew: false } : CONFLICT;
};

const newVersion = async (
  ports: DefinitionPorts,
  caller: Caller,
  { found: { journey: previous }, lineage, definition, contactsShown, fields }: Change,
): Promise<Defined | Refusal<'CONFLICT'> | typeof CONFLICT> => {
  const now = ports.clock();
  const journey = draftOf(caller, definition, contactsShown, now, previous);
  const graph = graphIn(definition);
  const first = await firstSecret(ports, lineage, graph);
  const after = {
    ...lineage,
    draftId: journey.id,
    secrets: first?.secrets ?? lineage.secrets,
    ...fullPosts(journey, graph),
    version: lineage.version + 1,
  };
  const outcome = await ports.store.save({
    versions: [{ after: journey, graph }],
    lineage: { before: lineage, after },
    entry: journeyEntry(caller, journey.id, 'created', now, { fields: [...fields] }),
  });
  if (outcome === 'limit_reached') return refuse('CONFLICT', LIMIT);
  return outcome === 'saved' ? { journey, graph, secret: first?.secret, isNew: true } : CONFLICT;
};

/** Why no new version can be created from one that is not a draft; undefined if it can. */
const versionFault = (
  { status, replacedBy }: Journey,
  { draftId }: JourneyLineage,
): Refusal<'CONFLICT'> | undefined => {
  if (status === 'arquivada') return notNow('An archived journey is not changed any more.');
  if (replacedBy)
    return refuse('CONFLICT', {
      detail: 'Another version took the place of this one: change that one.',
      meta: { code: 'VERSAO_SUBSTITUIDA', journeyId: replacedBy },
    });
  return draftId === undefined
    ? undefined
    : refuse('CONFLICT', {
        detail: 'The journey has a draft of its next version: change, activate or delete that one.',
        meta: { code: 'RASCUNHO_EXISTENTE', journeyId: draftId },
      });
};

/**
 * Changes a draft, or creates a draft of the next version of an active or paused journey, which continues unchanged. 422 listing the
 * errors; 409 if it is archived or was replaced, or if the next version already has a draft.
 */
export const changeJourney = (
  ports: DefinitionPorts,
  caller: Author,
  id: Id<'journey'>,
  patch: JourneyPatch,
): Promise<Defined | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The journey', async () => {
    const found = await findJourney(ports, caller, id);
    if (isRefusal(found)) return found;
    const lineage = await lineageOf(ports, found);
    if (!lineage) return CONFLICT;
    const isDraft = found.journey.status === 'rascunho';
    const fault = isDraft ? undefined : versionFault(found.journey, lineage);
    if (fault) return fault;
    const before = definitionOf(found);
    const definition = patched(before, patch);
    const steps = { was: before.passos, given: patch.passos && definition.passos };
    const contactsShown = shownAfter(found.journey.contactsShown, caller, steps);
    const isSame = isSameValue(definition, before) && contactsShown === found.journey.contactsShown;
    if (isDraft && isSame) return { ...found, isNew: false };
    const refused = await checked(ports, caller, definition);
    if (refused) return refused;
    const change = { found, lineage, definition, contactsShown, fields: fieldNames(patch) };
    return isDraft ? changeDraft(ports, caller, change) : newVersion(ports, caller, change);
  });

/** Deletes a draft: 409 for any other version, which is archived instead. */
export const deleteJourney = (
  ports: DefinitionPorts,
  caller: Caller,
  id: Id<'journey'>,
): Promise<undefined | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  retryOnConflict('The journey', async (attempt) => {
    const found = await findJourney(ports, caller, id);
    // On a repeat it may be gone because an earlier attempt was committed and its response lost.
    if (isRefusal(found)) return attempt === 0 ? found : undefined;
    const { journey } = found;
    if (journey.status !== 'rascunho') return notNow('Only a draft is deleted; archive the journey.');
    const before = await lineageOf(ports, found);
    if (!before) return CONFLICT;
    const isLast = journey.rootId === id;
    const after = isLast ? undefined : { ...before, draftId: undefined, version: before.version + 1 };
    const entry = journeyEntry(caller, id, 'deleted', ports.clock());
    const outcome = await ports.store.save({ versions: [{ before: journey }], lineage: { before, after }, entry });
    return outcome === 'saved' ? undefined : CONFLICT;
  });
