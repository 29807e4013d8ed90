import type { MetaAnswer, MetaApi, MetaNumber, Review } from './meta-port.ts';

const done = <T>(value: T): MetaAnswer<T> => ({ kind: 'done', value });

/**
 * Simulated numbers by the last four digits of the phoneNumberId; any other is connected and green
 * (docs/spec/whatsapp-numbers.md#numbers-in-the-sandbox).
 */
const SCENARIOS: Readonly<Record<string, Partial<MetaNumber> | 'absent'>> = {
  '0001': { qualityRating: 'yellow' },
  '0002': { qualityRating: 'red', status: 'flagged' },
  '0003': { qualityRating: 'unknown', status: 'pending', nameStatus: 'pending' },
  '0250': { messagingTier: 'tier_250' },
  '0404': 'absent',
};
/** The access token that the sandbox rejects. */
const REFUSED_TOKEN = 'invalid';

/** A Brazilian mobile number derived from the phoneNumberId. */
const phoneOf = (phoneNumberId: string): string => `+55119${phoneNumberId.slice(-8).padStart(8, '9')}`;

const numberOf = (phoneNumberId: string): MetaAnswer<MetaNumber> => {
  const scenario = SCENARIOS[phoneNumberId.slice(-4)] ?? {};
  if (scenario === 'absent') return { kind: 'refused', cause: 'absent', detail: 'the sandbox has no such number' };
  return done({
    displayPhone: phoneOf(phoneNumberId),
    status: 'connected',
    qualityRating: 'green',
    messagingTier: 'unlimited',
    throughput: 'high',
    verifiedName: 'Loja Azul',
    nameStatus: 'approved',
    ...scenario,
  });
};

/**
 * The sandbox reviews a template at once, by the end of its name; else approved (docs/spec/whatsapp-templates.md#review-in-the-sandbox).
 */
const reviewOf = (name: string): Pick<Review, 'status' | 'reason'> => {
  if (name.endsWith('_rejected')) return { status: 'rejected', reason: 'INVALID_FORMAT' };
  return { status: name.endsWith('_pending') ? 'pending' : 'approved' };
};

/** Prefix of sandbox ids. Template ids contain the name, so that edits are reviewed by it too. */
const PREFIX = 'sbx_';

/** Meta's management API in the sandbox. It is stateless: reads return the caller's own record. */
export const sandboxMetaApi = (accessToken: string): MetaApi => {
  const refused: MetaAnswer<never> = {
    kind: 'refused',
    cause: 'credentials',
    detail: 'the sandbox simulates a token that is not valid',
  };
  const respond = async <T>(answer: MetaAnswer<T>): Promise<MetaAnswer<T>> =>
    accessToken === REFUSED_TOKEN ? refused : answer;
  return {
    readNumber: ({ phoneNumberId }) => respond(numberOf(phoneNumberId)),
    subscribe: () => respond(done(undefined)),
    readProfile: ({ profile }) => respond(done(profile ?? { about: 'Loja Azul', vertical: 'RETAIL' })),
    writeProfile: () => respond(done(undefined)),
    uploadExample: () => respond(done(`4:${PREFIX}example`)),
    createTemplate: (_, { name }) => respond(done({ platformTemplateId: `${PREFIX}${name}`, ...reviewOf(name) })),
    editTemplate: (id) => respond(done(reviewOf(id))),
    findTemplate: () => respond(done(undefined)),
    listTemplates: () => respond(done([])),
    deleteTemplate: () => respond(done(undefined)),
    createFlow: (_, { name }) => respond(done(`${PREFIX}${name.replaceAll(/[^0-9A-Za-z]/g, '').slice(-21)}`)),
    findFlow: () => respond(done(undefined)),
    changeFlow: () => respond(done(undefined)),
    uploadFlow: () => respond(done([])),
    readFlow: (_, stored = 'DRAFT') => respond(done(stored)),
    publishFlow: () => respond(done(undefined)),
    deprecateFlow: () => respond(done(undefined)),
    deleteFlow: () => respond(done(undefined)),
  };
};
