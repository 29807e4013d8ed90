import { journeyStore } from '../../storage/journeys/journey-store.ts';
import { publishEvents, table, vaults } from '../process/aws.ts';

/** The seal purpose of journeys' signing secrets. */
export const SECRET_PURPOSE = 'journey-secret';
const HEADER_PURPOSE = 'journey-header';

export const journeys = journeyStore(table, {
  raised: publishEvents,
  sealer: {
    seal: async ({ organizationId, id }, header, value) =>
      (await vaults.webhooks()).seal(HEADER_PURPOSE, organizationId, value, `${id} ${header}`),
    open: async ({ organizationId, id }, header, sealed) =>
      (await vaults.webhooks()).open(HEADER_PURPOSE, organizationId, sealed, `${id} ${header}`),
  },
});
