import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TARGET } from './compile.ts';

/** The containers: their programs, listening ports, and the memory of their process in MB. */
const CONTAINERS = {
  gateway: { program: 'infra/local/service.ts', ports: [8080], heapMb: 256 },
  smpp: { program: 'infra/local/smpp-service.ts', ports: [2775, 8080], heapMb: 768 },
} as const;
export type ContainerName = keyof typeof CONTAINERS;

/** A container writes to /tmp only. */
const dockerfile = (name: ContainerName): string => `FROM public.ecr.aws/docker/library/node:24-slim
WORKDIR /service
COPY . .
ENV NODE_ENV=production PORT=8080
USER node
EXPOSE ${CONTAINERS[name].ports.join(' ')}
CMD ["node", "--max-old-space-size=${CONTAINERS[name].heapMb}", "main.mjs"]
`;

export interface ServiceBuild {
  readonly container: ContainerName;
  /** The project root. */
  readonly root: string;
  /** The output folder of `buildFunctions`. */
  readonly dist: string;
  /** Receives the Docker build context. */
  readonly outDir: string;
}

/** Writes the Docker build context of a container: the program in one file, the built functions, a Dockerfile. */
export const buildService = async ({ container, root, dist, outDir }: ServiceBuild): Promise<void> => {
  const { build } = await import('esbuild');
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, CONTAINERS[container].program)],
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
  await writeFile(join(outDir, 'Dockerfile'), dockerfile(container));
};
