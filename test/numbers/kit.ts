import { afterAll, beforeAll } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { isRefusal, type Refusal } from '../../shared/domain/errors.ts';
import type { FlowPorts } from '../../shared/domain/flows/flow.ts';
import type { NumberPorts, WhatsappNumber } from '../../shared/domain/numbers/number.ts';
import { connectNumber } from '../../shared/domain/numbers/numbers.ts';
import { sandboxPlatform } from '../../shared/domain/numbers/sandbox.ts';
import type { TemplatePorts } from '../../shared/domain/templates/template.ts';
import { organizationWrite } from '../../shared/storage/access.ts';
import { flowStore } from '../../shared/storage/flows.ts';
import { mediaStore } from '../../shared/storage/media.ts';
import { numberStore } from '../../shared/storage/numbers.ts';
import { templateStore } from '../../shared/storage/templates.ts';
import { PLAIN, startWorld, type World } from '../support/world.ts';

/** What the rules need, over a world's table, and the ids of the events that were raised, in their order. */
export const portsOf = (
  world: World,
  platform: NumberPorts['platform'] = async (_, token) => sandboxPlatform(token),
) => {
  const raised: string[] = [];
  const note = (id: string) => void raised.push(id);
  const ports: TemplatePorts & FlowPorts = {
    clock: () => world.now,
    platform,
    numbers: numberStore(world.table, PLAIN, note),
    templates: templateStore(world.table, note),
    findMedia: mediaStore(world.table).find,
    flows: flowStore(world.table),
  };
  return { ports, raised };
};

/** Gives the tests of a file a live world of their own, and what the rules need over it. */
export const withNumbers = (give: (world: World, kit: ReturnType<typeof portsOf>) => void): void => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('live');
    give(world, portsOf(world));
  });
  afterAll(() => world?.close());
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
