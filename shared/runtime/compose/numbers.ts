import type { NumberPorts } from '../../domain/numbers/number.ts';
import { sandboxPlatform } from '../../domain/numbers/sandbox.ts';
import type { TemplatePorts } from '../../domain/templates/template.ts';
import { mediaStore } from '../../storage/media.ts';
import { numberStore } from '../../storage/numbers.ts';
import { eventHint } from '../../storage/outbox.ts';
import { readProviderSettings } from '../../storage/providers.ts';
import type { Sealer } from '../../storage/queued.ts';
import { templateStore } from '../../storage/templates.ts';
import { clock, providerFetch, publishDue, settings, table, vault } from './platform.ts';

const PURPOSE = 'number-token';
const sealer: Sealer = {
  seal: async (organizationId, id, text) => (await vault()).seal(PURPOSE, organizationId, text, id),
  open: async (organizationId, id, sealed) => (await vault()).open(PURPOSE, organizationId, sealed, id),
};
const raised = (eventId: string): void => publishDue([eventHint(eventId)]);

const MISSING =
  'no whatsapp provider is set up: run `npm run admin -- provider set --env live --channel whatsapp --provider NAME --file SETTINGS.json`';

/** The test stage's platform is the sandbox, and never another. */
const platform: NumberPorts['platform'] = async (env, accessToken) => {
  if (env === 'test') return sandboxPlatform(accessToken);
  const [provider] = (await readProviderSettings(table, await vault(), 'whatsapp')).values();
  if (provider === undefined) return { missing: MISSING };
  // Loaded at the first live call: the sandbox needs none of it, and a cold start is shorter without.
  const { managementAddress, metaManagement } = await import('../../providers/meta/management.ts');
  return metaManagement(
    { fetch: providerFetch, now: clock },
    { ...managementAddress(provider), accessToken, allowLoopbackHttp: settings.WEBHOOK_LOOPBACK },
  );
};

/** What the rules of WhatsApp numbers need, over this stage's table, vault and platform. */
export const numberPorts: NumberPorts = { clock, numbers: numberStore(table, sealer, raised), platform };

/** What the rules of WhatsApp templates need besides. */
export const templatePorts: TemplatePorts = {
  ...numberPorts,
  templates: templateStore(table, raised),
  findMedia: mediaStore(table).find,
};
