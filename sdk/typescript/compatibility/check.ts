import { type Finding, RULES } from './rules.ts';

/** What the versions and the changelog have to say of the differences. */
export interface Release {
  readonly released: string;
  readonly next: string;
  readonly changelog: string;
}

const partsOf = (version: string): readonly number[] => version.split('.').map(Number);

/** Whether semantic versioning lets a version break callers of another: a greater major version, or below 1.0 a greater minor one. */
export const mayBreak = (released: string, next: string): boolean => {
  const [[major = 0, minor = 0], [nextMajor = 0, nextMinor = 0]] = [partsOf(released), partsOf(next)];
  return nextMajor > major || (major === 0 && nextMajor === 0 && nextMinor > minor);
};

/** The changelog's section of a version; empty if it has none. */
export const sectionOf = (changelog: string, version: string): string =>
  changelog.split(/^## /m).find((section) => section.split('\n')[0]?.trim() === version) ?? '';

const describe = ({ rule, place, detail }: Finding): string => `${rule}: ${place} (${detail}). ${RULES[rule].says}`;

/**
 * What stands against publishing these differences. A difference that breaks clients needs a version that may; every difference that clients
 * notice needs its place named by the changelog of a new version.
 */
export const faultsOf = (findings: readonly Finding[], { released, next, changelog }: Release): readonly string[] => {
  const section = next === released ? '' : sectionOf(changelog, next);
  return findings.flatMap((finding) => {
    const text = describe(finding);
    const isBreak = RULES[finding.rule].effect === 'break';
    if (isBreak && !mayBreak(released, next)) return [`${text} Version ${next} may not break clients of ${released}.`];
    if (!section.includes(`\`${finding.place}\``))
      return [`${text} The changelog of a version after ${released} has to name \`${finding.place}\`.`];
    return [];
  });
};
