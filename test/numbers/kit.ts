import type { FlowPorts } from '../../shared/domain/channels/whatsapp/flows/flow.ts';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';
import { connectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import type { NumberPorts } from '../../shared/domain/channels/whatsapp/numbers/ports.ts';
import { sandboxMetaApi } from '../../shared/domain/channels/whatsapp/numbers/sandbox.ts';
import type { TemplatePorts } from '../../shared/domain/channels/whatsapp/templates/template.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import { flowStore } from '../../shared/storage/whatsapp/flows.ts';
import { mediaStore } from '../../shared/storage/whatsapp/media.ts';
import { numberStore } from '../../shared/storage/whatsapp/numbers.ts';
import { templateStore } from '../../shared/storage/whatsapp/templates.ts';
import { use } from '../support/use.ts';
import { PLAIN, startWorld, type World } from '../support/world.ts';

/** What the rules need, over a world's table, and the ids of the events that were raised, in their order. */
export const portsOf = (world: World, metaApi: NumberPorts['metaApi'] = async (_, token) => sandboxMetaApi(token)) => {
  const raised: Id<'event'>[] = [];
  const note = (id: Id<'event'>) => void raised.push(id);
  const ports: TemplatePorts & FlowPorts = {
    clock: () => world.now,
    metaApi,
    numbers: numberStore(world.table, PLAIN, note),
    templates: templateStore(world.table, note),
    findMedia: mediaStore(world.table).find,
    flows: flowStore(world.table),
  };
  return { ports, raised };
};

/** A live world for the tests of a file, and what the rules need over it. */
export const useNumbers = async () => {
  const world = await use(startWorld('live'));
  return { world, kit: portsOf(world) };
};

export const allowed = <T>(outcome: T | Refusal): T => {
  if (isRefusal(outcome)) throw new Error(`${outcome.name}: ${JSON.stringify(outcome.details)}`);
  return outcome;
};

/** An organization that numbers can be connected to. */
export const tenant = async (world: World): Promise<Actor> => {
  const actor = await world.organization(1_000_000);
  await world.table.write(organizationWrite({ id: actor.organizationId, name: 'Loja Azul', createdAt: world.now }));
  return actor;
};

let connected = 0;
/** A number of the organization, on an account of its own where none is given. */
export const aNumber = async (
  ports: TemplatePorts,
  actor: Actor,
  { ending = '1000', wabaId = `5${++connected}` }: { ending?: string; wabaId?: string } = {},
): Promise<WhatsappNumber> => {
  const phoneNumberId = `7${String(++connected).padStart(7, '0')}${ending}`;
  return allowed(await connectNumber(ports, actor, { phoneNumberId, wabaId, accessToken: 'token' }));
};
