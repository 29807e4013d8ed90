import type { FlowPorts, WhatsappFlow } from '../../shared/domain/channels/whatsapp/flows/flow.ts';
import { createFlow, type NewFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';
import { connectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import type { NumberPorts } from '../../shared/domain/channels/whatsapp/numbers/ports.ts';
import { sandboxMetaApi } from '../../shared/domain/channels/whatsapp/numbers/sandbox.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import type { TemplatePorts, WhatsappTemplate } from '../../shared/domain/channels/whatsapp/templates/template.ts';
import { createTemplate, type NewTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor, Environment } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { managementAddress, metaManagement } from '../../shared/providers/meta/management.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import { outbox } from '../../shared/storage/due-work/outbox.ts';
import { flowStore } from '../../shared/storage/whatsapp/flows.ts';
import { mediaStore } from '../../shared/storage/whatsapp/media.ts';
import { numberStore } from '../../shared/storage/whatsapp/numbers.ts';
import { templateStore } from '../../shared/storage/whatsapp/templates.ts';
import { accepted } from '../support/accepted.ts';
import { networkIo } from '../support/providers/io.ts';
import { startMetaManagement } from '../support/providers/meta-management-stand-in.ts';
import { use } from '../support/use.ts';
import { PLAIN, startWorld, type World } from '../support/world.ts';

/** The ports of numbers, templates and flows over a world's table; `raised` collects the ids of the events in their order. */
export const portsOf = (world: World, metaApi: NumberPorts['metaApi'] = async (_, token) => sandboxMetaApi(token)) => {
  const raised: Id<'event'>[] = [];
  const note = ({ id }: DomainEvent) => void raised.push(id);
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

/** A world for the tests of a file, and the ports over it. */
export const useNumbers = async (env: Environment = 'live') => {
  const world = await use(startWorld(env));
  return { world, ...portsOf(world) };
};

/** An organization that numbers can be connected to. */
export const tenant = async (world: World): Promise<Actor> => {
  const actor = await world.organization(1_000_000);
  await world.table.write(organizationWrite({ id: actor.organizationId, name: 'Loja Azul', createdAt: world.now }));
  return actor;
};

/** The events that were raised after the first `before` of them. */
export const eventsSince = async (world: World, raised: readonly Id<'event'>[], before: number) => {
  const stored = await Promise.all(raised.slice(before).map((id) => outbox(world.table).read(id)));
  return stored.map((each) => ({ type: each?.event.type, data: each?.event.data }));
};

let made = 0;
/** A connected number of the organization, on a business account of its own where none is given. */
export const aNumber = async (
  ports: TemplatePorts,
  actor: Actor,
  { ending = '1000', wabaId = `5${++made}` }: { ending?: string; wabaId?: string } = {},
): Promise<WhatsappNumber> => {
  const phoneNumberId = `7${String(++made).padStart(7, '0')}${ending}`;
  return accepted(await connectNumber(ports, actor, { phoneNumberId, wabaId, accessToken: 'token' }));
};

/** A template in draft, on a number of its own where none is given. */
export const aTemplate = async (
  ports: TemplatePorts,
  actor: Actor,
  fields: Partial<NewTemplate> = {},
): Promise<WhatsappTemplate> =>
  accepted(
    await createTemplate(ports, actor, {
      numberId: fields.numberId ?? (await aNumber(ports, actor)).id,
      name: `modelo_${++made}`,
      language: 'pt-BR',
      category: 'utility',
      components: [{ type: 'BODY', payload: { text: 'Oi' } }],
      ...fields,
    }),
  );

/** A submitted template: the sandbox approves it, unless its name requests another verdict (`…_pending`). */
export const submittedTemplate = async (...[ports, actor, fields]: Parameters<typeof aTemplate>) =>
  accepted(await submitTemplate(ports, actor, (await aTemplate(ports, actor, fields)).id));

export const SCREEN = { id: 'A', terminal: true, layout: { type: 'SingleColumnLayout' as const, children: [] } };
export const FLOW_JSON = { version: '6.2', data_api_version: '3.0', screens: [SCREEN] };
/** A flow in draft, on a number of its own where none is given. */
export const aFlow = async (
  ports: TemplatePorts & FlowPorts,
  actor: Actor,
  fields: Partial<NewFlow> = {},
): Promise<WhatsappFlow> =>
  accepted(
    await createFlow(ports, actor, {
      numberId: fields.numberId ?? (await aNumber(ports, actor)).id,
      name: 'Atendimento',
      platformCategories: ['OTHER'],
      flowJson: FLOW_JSON,
      ...fields,
    }),
  );

export const WABA = '102290129340398';
export const TOKEN = 'EAAJ-token';
interface MetaOptions {
  readonly timeoutMs?: number;
  /** Numbers that the account lists before the test's own. */
  readonly others?: readonly string[];
  readonly wrap?: (api: ReturnType<typeof metaManagement>) => ReturnType<typeof metaManagement>;
}
/** A stand-in of Meta's management API for one test: an account with a number, ports that call it, and an organization that may connect it. */
export const startMetaAccount = async (
  world: World,
  { timeoutMs = 10_000, others = [], wrap = (api) => api }: MetaOptions = {},
) => {
  const meta = await startMetaManagement(TOKEN, WABA);
  const phoneNumberId = `4${++made}`;
  for (const other of others) meta.addNumber(other, { status: 'PENDING' });
  meta.addNumber(phoneNumberId);
  const address = managementAddress({ baseUrl: meta.baseUrl, timeoutMs });
  const io = networkIo(() => world.now);
  const kit = portsOf(world, async (_, accessToken) => wrap(metaManagement(io, { ...address, accessToken })));
  const connection = { phoneNumberId, wabaId: WABA, accessToken: TOKEN };
  return { ...kit, meta, actor: await tenant(world), connection };
};
export type MetaAccount = Awaited<ReturnType<typeof startMetaAccount>>;
