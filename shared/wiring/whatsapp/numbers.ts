import type { NumberPorts } from '../../domain/channels/whatsapp/numbers/ports.ts';
import { sandboxMetaApi } from '../../domain/channels/whatsapp/numbers/sandbox.ts';
import type { TemplatePorts } from '../../domain/channels/whatsapp/templates/template.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { readProviderSettings } from '../../storage/access/providers.ts';
import { eventWorkItem } from '../../storage/due-work/outbox.ts';
import type { Sealer } from '../../storage/messages/queued.ts';
import { mediaStore } from '../../storage/whatsapp/media.ts';
import { numberStore } from '../../storage/whatsapp/numbers.ts';
import { templateStore } from '../../storage/whatsapp/templates.ts';
import { clock, providerIo, publishWork, settings, table, vaults } from '../process/aws.ts';

const PURPOSE = 'number-token';
const sealer: Sealer = {
  seal: async (organizationId, id, text) => (await vaults.numbers()).seal(PURPOSE, organizationId, text, id),
  open: async (organizationId, id, sealed) => (await vaults.numbers()).open(PURPOSE, organizationId, sealed, id),
};
const raised = (event: DomainEvent): void => publishWork([eventWorkItem(event)]);

const MISSING =
  'no whatsapp provider is set up: run `npm run admin -- provider set --env live --channel whatsapp --provider NAME --file SETTINGS.json`';

/** The test stage always uses the sandbox. */
const metaApi: NumberPorts['metaApi'] = async (env, accessToken) => {
  if (env === 'test') return sandboxMetaApi(accessToken);
  const [provider] = (await readProviderSettings(table, await vaults.providers(), 'whatsapp')).values();
  if (provider === undefined) return { missing: MISSING };
  // Loaded at the first live call, to keep it out of the sandbox's and other functions' cold starts.
  const { managementAddress, metaManagement } = await import('../../providers/meta/management.ts');
  return metaManagement(providerIo, {
    ...managementAddress(provider),
    accessToken,
    allowLoopbackHttp: settings.WEBHOOK_LOOPBACK,
  });
};

export const numberPorts: NumberPorts = { clock, numbers: numberStore(table, sealer, raised), metaApi };

export const templatePorts: TemplatePorts = {
  ...numberPorts,
  templates: templateStore(table, raised),
  findMedia: mediaStore(table).find,
};
