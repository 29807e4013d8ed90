import { applyPreference, type PreferencePorts } from '../../shared/domain/inbound/preferences.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { optOutWrite, ownOptInWrite } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import type { inboundStage } from './stage.ts';

/** Applies reports of a person's preference, as WhatsApp's callbacks do, over the table of a stage. */
export const preferencesOf = (stage: Awaited<ReturnType<typeof inboundStage>>, from: string) => {
  const { table } = stage.world;
  const ports: PreferencePorts = {
    ...stage.inbound,
    contacts: contactStore(table, (events) => void stage.inbound.raised.push(...events.map(({ id }) => id))),
    optOutSender: async (...[organizationId, { kind, hash }, stop]) =>
      (await table.write(optOutWrite(organizationId, kind, hash, stop))).ok,
    optInSender: async (...given) => (await table.write(ownOptInWrite(...given))).ok,
  };
  const report = (value: 'stop' | 'resume', minutes: number) =>
    applyPreference(ports, stage.actor, {
      kind: 'platform',
      about: 'preference',
      at: stage.at(minutes),
      phoneNumberId: '106540352242922',
      from,
      value,
    });
  return { report };
};
