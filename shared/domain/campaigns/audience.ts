import { NumberSet } from '../audience/number-set.ts';
import {
  type AudienceIndex,
  allOf,
  anyOf,
  baseSelection,
  numbersSelection,
  type Selection,
  treeSelection,
} from '../audience/selection.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { SegmentPorts } from '../segments/segment.ts';
import { treeOfSegment } from '../segments/segments.ts';
import { type Audience, type Campaign, variantChooser, variantsOf } from './campaign.ts';

type Org = Id<'organization'>;

/** Ports of selecting an audience. */
export interface AudiencePorts {
  readonly clock: Clock;
  readonly index: AudienceIndex;
  readonly segments: Pick<SegmentPorts['store'], 'read'>;
  /** The numbers of a list's contacts; undefined when there is no such list. */
  readonly membersOf: (organizationId: Org, id: Id<'list'>) => Promise<NumberSet | undefined>;
  /** The numbers of existing contacts among these ids. */
  readonly numbersOf: (organizationId: Org, ids: readonly Id<'contact'>[]) => Promise<NumberSet>;
  /** Numbers that distinguish the e-mail addresses of contacts. */
  readonly emailNumbers: (organizationId: Org, of: NumberSet) => Promise<(number: number) => number | undefined>;
  /** The addresses that are suppressed now, and those that unsubscribed. */
  readonly refusedEmails: (
    organizationId: Org,
  ) => Promise<{ readonly suppressed: ReadonlySet<number>; readonly unsubscribed: ReadonlySet<number> }>;
  /** Whether a message needs consent; a transactional one doesn't. */
  readonly needsConsent: (campaign: Campaign, variant: number) => Promise<boolean>;
}

/** Missing lists, segments and contacts of an audience, by their position in it. */
export interface MissingParts {
  readonly missing: readonly { readonly path: string }[];
}

/** Why contacts of an audience are excluded; each counts once, for the first that applies. */
export const EXCLUSIONS = ['noAddress', 'optedOut', 'suppressed', 'sameAddress'] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** The recipients of a campaign, and the numbers of excluded contacts. */
export interface Selected {
  readonly reach: NumberSet;
  readonly excluded: Readonly<Record<Exclusion, number>>;
}

const at = (name: string, index: number) => ({ path: `audience.${name}.${index}` });

/** The selection of lists and segments, and the missing ones. */
const namedSelections = async (
  ports: AudiencePorts,
  organizationId: Org,
  lists: readonly Id<'list'>[],
  segments: readonly Id<'segment'>[],
  names: { readonly lists: string; readonly segments: string },
  now: number,
) => {
  const [members, descriptions] = await Promise.all([
    Promise.all(lists.map((id) => ports.membersOf(organizationId, id))),
    Promise.all(segments.map((id) => ports.segments.read(organizationId, id))),
  ]);
  const missing = [
    ...members.flatMap((found, index) => (found ? [] : [at(names.lists, index)])),
    ...descriptions.flatMap((found, index) => (found ? [] : [at(names.segments, index)])),
  ];
  const selections: Selection[] = [
    ...members.flatMap((found) => (found ? [numbersSelection(found)] : [])),
    ...descriptions.flatMap((found) => (found ? [treeSelection(treeOfSegment(found), now)] : [])),
  ];
  return { selections, missing };
};

/** The contacts that an audience selects, or its missing parts. */
const selectionOf = async (
  ports: AudiencePorts,
  organizationId: Org,
  { listIds = [], segmentIds = [], contactIds = [], excludeListIds = [], excludeSegmentIds = [] }: Audience,
): Promise<Selection | MissingParts> => {
  const now = ports.clock();
  const excludes = { lists: 'excludeListIds', segments: 'excludeSegmentIds' };
  const [included, excluded, named] = await Promise.all([
    namedSelections(ports, organizationId, listIds, segmentIds, { lists: 'listIds', segments: 'segmentIds' }, now),
    namedSelections(ports, organizationId, excludeListIds, excludeSegmentIds, excludes, now),
    contactIds.length === 0 ? undefined : ports.numbersOf(organizationId, contactIds),
  ]);
  const missing = [...included.missing, ...excluded.missing];
  if (missing.length > 0) return { missing };
  return anyOf([...included.selections, ...(named ? [numbersSelection(named)] : [])], excluded.selections);
};

/** The missing parts of an audience; empty if everything exists. Deleted contacts are ignored. */
export const missingParts = async (
  ports: AudiencePorts,
  organizationId: Org,
  audience: Audience,
): Promise<MissingParts['missing']> => {
  const selection = await selectionOf(ports, organizationId, audience);
  return 'missing' in selection ? selection.missing : [];
};

const HAS_EMAIL = treeSelection({ kind: 'leaf', filter: { field: 'channel', operator: 'has', value: 'email' } }, 0);
const DENIED = baseSelection('denied', undefined);

const allNumbers = async (found: Awaited<ReturnType<AudienceIndex['find']>>): Promise<NumberSet> =>
  NumberSet.of(await found.numbers({ skip: 0, limit: Number.MAX_SAFE_INTEGER }));

/** The contacts of a set that get a variant. */
const ofVariant = (all: NumberSet, choose: (number: number) => number, variant: number, count: number): NumberSet =>
  count === 1 ? all : NumberSet.of([...all].filter((number) => choose(number) === variant));

/** Contacts whose e-mail address may be written to, one per address: the contact that has existed longest. */
const distinctAddresses = async (
  ports: AudiencePorts,
  organizationId: Org,
  contacts: NumberSet,
  needsConsent: boolean,
  seen: Set<number>,
) => {
  const [emailOf, { suppressed, unsubscribed }] = await Promise.all([
    ports.emailNumbers(organizationId, contacts),
    ports.refusedEmails(organizationId),
  ]);
  const counts = { noAddress: 0, optedOut: 0, suppressed: 0, sameAddress: 0 };
  const reach = [...contacts].reverse().filter((number) => {
    const email = emailOf(number);
    const why =
      email === undefined
        ? 'noAddress'
        : needsConsent && unsubscribed.has(email)
          ? 'optedOut'
          : suppressed.has(email)
            ? 'suppressed'
            : seen.has(email)
              ? 'sameAddress'
              : undefined;
    if (why) counts[why]++;
    else if (email !== undefined) seen.add(email);
    return why === undefined;
  });
  return { reach: NumberSet.of(reach), counts };
};

/**
 * The contacts that a campaign reaches now, each person and each address once (docs/spec/campaigns.md#audience): the same for a preview and
 * for the snapshot at its start. One pass over the audience's index; for e-mail a second one over the addresses.
 */
export const selectAudience = async (ports: AudiencePorts, campaign: Campaign): Promise<Selected | MissingParts> => {
  const { organizationId, audience } = campaign;
  const selection = await selectionOf(ports, organizationId, audience);
  if ('missing' in selection) return selection;
  const found = await ports.index.findEach(organizationId, [
    selection,
    allOf([selection, HAS_EMAIL]),
    allOf([selection, DENIED]),
  ]);
  const [all = NumberSet.EMPTY, withEmail = NumberSet.EMPTY, denied = NumberSet.EMPTY] = await Promise.all(
    found.map(allNumbers),
  );
  const variants = variantsOf(campaign);
  const choose = variantChooser(campaign);
  const seen = new Set<number>();
  const excluded = { noAddress: 0, optedOut: 0, suppressed: 0, sameAddress: 0 };
  let reach = NumberSet.EMPTY;
  for (const [variant, { message }] of variants.entries()) {
    const own = ofVariant(all, choose, variant, variants.length);
    const needsConsent = await ports.needsConsent(campaign, variant);
    const addressed = message.channel === 'email' ? own.and(withEmail) : own;
    const consenting = needsConsent ? addressed.andNot(denied) : addressed;
    excluded.noAddress += own.size - addressed.size;
    excluded.optedOut += addressed.size - consenting.size;
    if (message.channel !== 'email') {
      reach = reach.or(consenting);
      continue;
    }
    const distinct = await distinctAddresses(ports, organizationId, consenting, needsConsent, seen);
    for (const name of EXCLUSIONS) excluded[name] += distinct.counts[name];
    reach = reach.or(distinct.reach);
  }
  return { reach, excluded };
};
