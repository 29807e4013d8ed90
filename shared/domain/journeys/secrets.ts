import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { type Author, shownTo } from './contacts-shown.ts';
import type { WireGraph } from './definition.ts';
import { findJourney } from './find.ts';
import type { JourneyLineage, StepSecret } from './lineage.ts';
import type { JourneyStatePorts } from './ports.ts';
import { journeyEntry } from './states.ts';

const HOUR_MS = 3_600_000;
/** Maximum number of old secrets next to the newest. */
const MAX_OLD_SECRETS = 4;

/** Creates and seals the signing secrets of a journey's webhook steps (docs/spec/journeys.md#webhook-secret). */
export interface SecretPorts {
  readonly newSecret: () => string;
  readonly seal: (organizationId: Id<'organization'>, rootId: Id<'journey'>, secret: string) => Promise<string>;
}

/** Whether a graph has a webhook step. */
export const hasEndpoint = ({ passos }: WireGraph): boolean => passos.some(({ tipo }) => tipo === 'webhook');

type Lineage = Pick<JourneyLineage, 'organizationId' | 'rootId' | 'secrets'>;

/** The first secret of a journey, if its graph needs one and it has none; `secret` in plain text, shown only once. */
export const firstSecret = async (
  ports: SecretPorts,
  { organizationId, rootId, secrets }: Lineage,
  graph: WireGraph,
): Promise<{ readonly secret: string; readonly secrets: readonly StepSecret[] } | undefined> => {
  if (secrets.length > 0 || !hasEndpoint(graph)) return undefined;
  const secret = ports.newSecret();
  return { secret, secrets: [{ version: 1, sealed: await ports.seal(organizationId, rootId, secret) }] };
};

/** A journey's secrets with a new one first; the others also sign until the overlap ends at the latest. */
const rotated = async (
  ports: SecretPorts,
  { organizationId, rootId, secrets }: Lineage,
  secret: string,
  { now, overlapHours }: { readonly now: number; readonly overlapHours: number },
): Promise<readonly StepSecret[]> => {
  const endsAt = now + overlapHours * HOUR_MS;
  const old = secrets
    .map((each) => ({ ...each, endsAt: Math.min(each.endsAt ?? endsAt, endsAt) }))
    .filter((each) => each.endsAt > now);
  const version = (secrets[0]?.version ?? 0) + 1;
  const sealed = await ports.seal(organizationId, rootId, secret);
  return [{ version, sealed }, ...old.slice(0, MAX_OLD_SECRETS)];
};

/**
 * Gives all versions of a journey a new signing secret, shown only once. The old one also signs until the overlap ends. 409 for a journey
 * that never had a webhook step; 403 if its steps post contacts in full and the caller may not see them so.
 */
export const rotateSecret = (
  ports: JourneyStatePorts & SecretPorts,
  caller: Author,
  id: Id<'journey'>,
  overlapHours: number,
): Promise<{ readonly secret: string } | Refusal<'CONFLICT' | 'FORBIDDEN' | 'NOT_FOUND'>> =>
  retryOnConflict('The journey', async () => {
    const found = await findJourney(ports, caller, id);
    if (isRefusal(found)) return found;
    const before = await ports.store.readLineage(found.journey.rootId);
    if (!before) return CONFLICT;
    if (before.secrets.length === 0) return refuse('CONFLICT', 'The journey has no webhook step, and no secret.');
    // With the secret, a caller could forge posts to an endpoint that receives more than the caller may see.
    if (before.postsInFull && shownTo(caller) !== 'full')
      return refuse('FORBIDDEN', 'The journey posts contacts in full: only a caller with pii:full rotates its secret.');
    const now = ports.clock();
    const secret = ports.newSecret();
    const secrets = await rotated(ports, before, secret, { now, overlapHours });
    const after = { ...before, secrets, version: before.version + 1 };
    const entry = journeyEntry(caller, id, 'secret_rotated', now, { overlapHours });
    const outcome = await ports.store.save({ versions: [], lineage: { before, after }, entry });
    return outcome === 'saved' ? { secret } : CONFLICT;
  });
