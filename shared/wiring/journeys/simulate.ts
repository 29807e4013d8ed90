import type { SimulationPorts } from '../../domain/journeys/simulate-journey.ts';
import { readQuietHours } from '../../storage/access/organization-settings.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { readContact } from '../../storage/contacts/contacts.ts';
import { readOwnRow } from '../../storage/read-row.ts';
import { previewPorts } from '../messages/queue-and-send.ts';
import { clock, table } from '../process/aws.ts';
import { journeys } from './journeys.ts';

/** The clock of an organization that set no quiet hours, and with them no time zone. */
const TIME_ZONE = 'America/Sao_Paulo';

export const simulationPorts: SimulationPorts = {
  clock,
  store: journeys,
  submit: previewPorts,
  contactOf: (organizationId, id) => readOwnRow(table, organizationId, KEYS.contact(id), readContact),
  async clockOf(organizationId) {
    const quietHours = await readQuietHours(table, organizationId);
    return { timeZone: quietHours?.timeZone ?? TIME_ZONE, quietHours };
  },
};
