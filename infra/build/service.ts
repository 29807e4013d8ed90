import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TARGET } from './compile.ts';

/** The container of the gateway service. It writes to /tmp only. */
const DOCKERFILE = `FROM public.ecr.aws/docker/library/node:24-slim
WORKDIR /service
COPY . .
ENV NODE_ENV=production PORT=8080
USER node
EXPOSE 8080
CMD ["node", "--max-old-space-size=256", "main.mjs"]
`;

export interface ServiceBuild {
  /** The project root. */
  readonly root: string;
  /** The output folder of `buildFunctions`. */
  readonly dist: string;
  /** Receives the Docker build context. */
  readonly outDir: string;
}

/** Writes the Docker build context of the gateway service: the program in one file, the built functions, a Dockerfile. */
export const buildService = async ({ root, dist, outDir }: ServiceBuild): Promise<void> => {
  const { build } = await import('esbuild');
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'infra/local/service.ts')],
    outfile: join(outDir, 'main.mjs'),
    bundle: true,
    ...TARGET,
    mainFields: ['module', 'main'],
    minify: true,
  });
  await cp(join(dist, 'bundle'), join(outDir, 'bundle'), {
    recursive: true,
    filter: (source) => !source.endsWith('.map'),
  });
  await cp(join(dist, 'manifest.json'), join(outDir, 'manifest.json'));
  await writeFile(join(outDir, 'Dockerfile'), DOCKERFILE);
};
