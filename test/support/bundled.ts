import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compile } from '../../infra/build/compile.ts';
import { onceARun } from './once-a-run.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * A script that many processes or workers run, with all that it imports in one file, as functions are built: it starts in less than half of
 * the processor time that hundreds of modules take, of which Node resolves each. Compiled once a run.
 */
export const bundled = async (script: URL): Promise<URL> => {
  const name = basename(script.pathname, '.ts');
  const outdir = join(tmpdir(), 'bundled', name);
  await onceARun(`bundled-${name}`, async () => {
    await compile({ entryPoints: { [name]: fileURLToPath(script) }, outdir, root: ROOT, kind: 'sources' });
    return true;
  });
  return pathToFileURL(join(outdir, `${name}.mjs`));
};
