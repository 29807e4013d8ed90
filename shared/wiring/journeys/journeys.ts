import { definedFields } from '../../domain/core/patch.ts';
import { checkReferences } from '../../domain/journeys/check-references.ts';
import type { Defined, DefinitionPorts } from '../../domain/journeys/define.ts';
import type { Journey } from '../../domain/journeys/journey.ts';
import { type JourneyFacts, journeyView } from '../../domain/journeys/journey-view.ts';
import type { WholeJourney } from '../../domain/journeys/ports.ts';
import { journeyRefusal } from '../../domain/journeys/validate.ts';
import { newSecret } from '../../domain/webhooks/signature.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { readJourneyFacts } from '../../storage/journeys/journey-facts.ts';
import { clock, publishWork, settings, table, vaults } from '../process/aws.ts';
import { journeys, SECRET_PURPOSE } from '../runs/store.ts';

const policy = { allowLoopbackHttp: settings.WEBHOOK_LOOPBACK };

export const journeyPorts: DefinitionPorts = {
  clock,
  store: journeys,
  refusal: (definition) => journeyRefusal(definition, policy),
  // Reference checks are loaded on first use: most operations check nothing.
  check: async (...args) => checkReferences((await import('./references.ts')).referencePorts)(...args),
  newSecret,
  seal: async (organizationId, rootId, secret) =>
    (await vaults.webhooks()).seal(SECRET_PURPOSE, organizationId, secret, rootId),
  enqueue({ id, organizationId: owner }, work) {
    const key = work === 'entries' ? KEYS.journeyEntries(id) : KEYS.journeySweep(id);
    publishWork([{ kind: 'journey_work', ...key, owner }]);
  },
};

/** The facts that responses show of versions besides their rows. */
export const journeyFacts = (versions: readonly Journey[]): Promise<JourneyFacts> => readJourneyFacts(table, versions);

/** A version as responses show it. */
export const wholeJourneyView = async ({ journey, graph }: WholeJourney) =>
  journeyView(journey, graph, await journeyFacts([journey]));
/** The same with the signing secret, if it was just created. */
export const definedJourneyView = async (defined: Defined) => ({
  ...(await wholeJourneyView(defined)),
  ...definedFields({ segredoWebhook: defined.secret }),
});
