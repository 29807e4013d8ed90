import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '../build/build.ts';
import { StageFunctions } from './functions.ts';
import { STAGES, type Stage } from './stages.ts';

/** Common code of a stage's containers: they run its built functions, whose environment variables are the container's own. */

/** The stage that `STAGE` names. */
export const stageNamed = (name: string | undefined): Stage => {
  const stage = STAGES.find((each) => each === name);
  if (!stage) throw new Error(`STAGE must be one of ${STAGES.join(', ')}.`);
  return stage;
};

/** Writes a fault to the container's log, in the format of the functions' log. */
export const logFault =
  (message: string) =>
  (where: string, requestId: string, error: unknown): void =>
    console.error(
      JSON.stringify({
        level: 'ERROR',
        message,
        where,
        requestId,
        fault: error instanceof Error ? error.name : 'not an Error',
        stack: error instanceof Error ? error.stack : undefined,
      }),
    );

/** The functions of a build. `dist` holds `bundle/` and `manifest.json`. */
export const containerFunctions = async (stage: Stage, dist: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  const manifest = JSON.parse(await readFile(join(dist, 'manifest.json'), 'utf8')) as Manifest;
  const bundleDir = join(dist, 'bundle');
  const settings = { stage, manifest, bundleDir, folder, stdout: process.stdout, environment: {} };
  const functions = await StageFunctions.layOut(settings);
  return { functions, remove: () => rm(folder, { recursive: true, force: true }) };
};
