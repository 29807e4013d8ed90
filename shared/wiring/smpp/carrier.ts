import * as z from 'zod';
import { BIND_LEASE_MS } from '../../domain/smpp/bind.ts';
import type { CarrierSettings } from '../../domain/smpp/carrier.ts';
import { smppCarrier } from '../../providers/sms/smpp-carrier.ts';
import { readProviderSettings } from '../../storage/access/providers.ts';
import { carrierBinds } from '../../storage/smpp/carrier-binds.ts';
import { clock, settings, table, vaults } from '../process/aws.ts';

/*
 * The stage's functions for binds to a carrier: their settings, and which of them this process may hold. Events come from the SMPP
 * service's own process, and are parsed anyway.
 */

const slots = carrierBinds(table);
const slot = z.object({ slot: z.int(), bindId: z.string(), at: z.string().optional() });

const CarrierEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('set_up') }),
  z.object({ kind: z.literal('take'), binds: z.int(), bindId: z.string(), at: z.string() }),
  z.object({ kind: z.literal('keep'), slot }),
  z.object({ kind: z.literal('free'), slot }),
  z.object({ kind: z.literal('holders') }),
]);

/** The configured carrier, and its callback address; undefined if there is none, as in the test stage. */
const setUp = async (): Promise<{ settings: CarrierSettings; callbackUrl: string } | undefined> => {
  if (settings.STAGE === 'test') return undefined;
  const given = (await readProviderSettings(table, await vaults.providers(), 'sms')).get(smppCarrier.name);
  if (given === undefined) return undefined;
  const callbackUrl = `${settings.PUBLIC_URL}/callbacks/${smppCarrier.name}`;
  return { settings: smppCarrier.settings.parse(given), callbackUrl };
};

/** Serves the SMPP service's process: the carrier's settings, and taking, renewing and freeing binds. */
export const carrierOverSmpp = async (given: unknown) => {
  const event = CarrierEvent.parse(given);
  const now = clock();
  const until = now + BIND_LEASE_MS;
  switch (event.kind) {
    case 'set_up':
      return setUp();
    case 'take':
      return slots.take(event.binds, { bindId: event.bindId, at: event.at }, { now, until });
    case 'keep':
      return slots.keep(event.slot, until);
    case 'free':
      return slots.free(event.slot);
    case 'holders':
      return [...new Set((await slots.held(now)).flatMap(({ at }) => at ?? []))];
  }
};
