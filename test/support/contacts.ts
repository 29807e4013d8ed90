import type { ContactPorts } from '../../shared/domain/contacts/ports.ts';
import type { Vault } from '../../shared/domain/core/secrets.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import type { World } from './world.ts';

/** The ports of contacts over a world's table; `note` gets the ids of the events that are raised. */
export const contactPortsOf = (
  world: World,
  vault: Vault,
  note: Parameters<typeof contactStore>[1] = () => {},
): ContactPorts => ({
  clock: () => world.now,
  recipients: async () => vault,
  documents: async () => vault,
  store: contactStore(world.table, note),
});
