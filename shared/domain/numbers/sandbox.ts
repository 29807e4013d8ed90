import type { NumberPlatform, PlatformAnswer, PlatformNumber, Review } from './platform.ts';

const done = <T>(value: T): PlatformAnswer<T> => ({ kind: 'done', value });

/** What the sandbox says of a phoneNumberId by its last four digits; of any other, that it is connected and green. */
const PLAYS: Readonly<Record<string, Partial<PlatformNumber> | 'absent'>> = {
  '0001': { qualityRating: 'yellow' },
  '0002': { qualityRating: 'red', status: 'flagged' },
  '0003': { qualityRating: 'unknown', status: 'pending', nameStatus: 'pending' },
  '0250': { messagingTier: 'tier_250' },
  '0404': 'absent',
};
/** The access token that the sandbox does not take. */
const REFUSED_TOKEN = 'invalid';

/** A Brazilian mobile that the same phoneNumberId always has. */
const phoneOf = (phoneNumberId: string): string => `+55119${phoneNumberId.slice(-8).padStart(8, '9')}`;

const numberOf = (phoneNumberId: string): PlatformAnswer<PlatformNumber> => {
  const play = PLAYS[phoneNumberId.slice(-4)] ?? {};
  if (play === 'absent') return { kind: 'refused', cause: 'absent', detail: 'the sandbox knows no such number' };
  return done({
    displayPhone: phoneOf(phoneNumberId),
    status: 'connected',
    qualityRating: 'green',
    messagingTier: 'unlimited',
    throughput: 'high',
    verifiedName: 'Loja Azul',
    nameStatus: 'approved',
    ...play,
  });
};

/** How the sandbox reviews a template, at once: by the end of its name, else approved. */
const reviewOf = (name: string): Pick<Review, 'status' | 'reason'> => {
  if (name.endsWith('_rejected')) return { status: 'rejected', reason: 'INVALID_FORMAT' };
  return { status: name.endsWith('_pending') ? 'pending' : 'approved' };
};

/** The sandbox's id of a template: it has the name in it, so that an edit is reviewed by the name too. */
const PREFIX = 'sbx_';

/** What the sandbox's platform is told of and remembers nothing of: what it may be asked again is played from the caller's own record. */
export const sandboxPlatform = (accessToken: string): NumberPlatform => {
  const refused: PlatformAnswer<never> = {
    kind: 'refused',
    cause: 'credentials',
    detail: 'the sandbox plays a token that is not valid',
  };
  const asked = async <T>(answer: PlatformAnswer<T>): Promise<PlatformAnswer<T>> =>
    accessToken === REFUSED_TOKEN ? refused : answer;
  return {
    readNumber: ({ phoneNumberId }) => asked(numberOf(phoneNumberId)),
    subscribe: () => asked(done(undefined)),
    readProfile: ({ profile }) => asked(done(profile ?? { about: 'Loja Azul', vertical: 'RETAIL' })),
    writeProfile: () => asked(done(undefined)),
    uploadExample: () => asked(done(`4:${PREFIX}example`)),
    createTemplate: (_, { name }) => asked(done({ platformTemplateId: `${PREFIX}${name}`, ...reviewOf(name) })),
    editTemplate: (id) => asked(done(reviewOf(id))),
    findTemplate: () => asked(done(undefined)),
    listTemplates: () => asked(done([])),
    deleteTemplate: () => asked(done(undefined)),
    createFlow: (_, { name }) => asked(done(`${PREFIX}${name.replaceAll(/[^0-9A-Za-z]/g, '').slice(-21)}`)),
    findFlow: () => asked(done(undefined)),
    changeFlow: () => asked(done(undefined)),
    uploadFlow: () => asked(done([])),
    readFlow: (_, kept = 'DRAFT') => asked(done(kept)),
    publishFlow: () => asked(done(undefined)),
    deprecateFlow: () => asked(done(undefined)),
    deleteFlow: () => asked(done(undefined)),
  };
};
