import type * as z from 'zod';
import type { CreateJourney } from '../../shared/contracts/journey-fields.ts';
import type { JourneyDefinition } from '../../shared/domain/journeys/definition.ts';

/** The contract's output is the rules' input: a field that only one of them has, or of another type, does not compile. */
const taken = (body: z.output<typeof CreateJourney>): JourneyDefinition => body;
taken({ name: 'a', gatilho: { tipo: 'manual' }, passos: [], ligacoes: [], reentrada: 'nunca' });
