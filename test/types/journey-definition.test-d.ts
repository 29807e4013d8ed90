import type * as z from 'zod';
import type { CreateJourney } from '../../shared/contracts/journey-fields.ts';
import type { JourneyDefinition } from '../../shared/domain/journeys/definition.ts';

/** What the contract parses is what the rules take: a field that only one of both knows, or of another type, does not compile. */
const taken = (body: z.output<typeof CreateJourney>): JourneyDefinition => body;
taken({ name: 'a', gatilho: { tipo: 'manual' }, passos: [], ligacoes: [], reentrada: 'nunca' });
