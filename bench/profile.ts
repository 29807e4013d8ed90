import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fundedOrganization, PROJECT, runLoadInThread, startStackProcess, startStore } from './processes.ts';
import { ROUNDS } from './record.ts';
import { figure, median, type Section } from './report.ts';
import { sendPlan } from './send.ts';
import { table } from './table.ts';

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}
interface ProfileNode {
  readonly id: number;
  readonly callFrame: Frame;
  readonly children?: readonly number[];
}
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The area of a source file by its path; the first match counts. */
const AREAS: readonly (readonly [area: string, source: RegExp])[] = [
  ['SDK: signing', /signature-v4|middleware-sdk-.*sign|httpAuthSchemes|hash-node|crc|sha256/i],
  [
    'SDK: serialising, schemas',
    /core\/.*(protocols|schema|cbor|serde)|smithy.*json|util-(base64|utf8|hex|buffer|body)|JsonCodec|uuid/i,
  ],
  ['SDK: HTTP handler', /node-http-handler|protocol-http|querystring/],
  ['marshall, unmarshall', /util-dynamodb/],
  ['SDK: middleware, client, endpoints', /@aws-sdk|@smithy|@aws\//],
  ['middy', /@middy/],
  ['zod', /node_modules\/zod/],
  ['logger, metrics', /powertools|runtime\/observe/],
  ['phone numbers', /libphonenumber/],
  ['gateway', /infra\/local\/(gateway|event|router|body|edge|authorizer|problems|functions)/],
  ['consumers, schedules', /infra\/local\/(pollers|schedules)|runtime\/consumer/],
  ['publisher', /queues\/publisher/],
  ['storage', /shared\/storage/],
  ['rules', /shared\/(domain|contracts|providers)/],
  ['operation wrapper', /shared\/runtime/],
];

const NATIVE: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code, system calls',
  '(idle)': 'idle',
};

/** Maps a bundled function back to its source file. */
const sourceFinder = async (bundleDir: string) => {
  const maps = new Map<string, SourceMap | undefined>();
  for (const file of await readdir(bundleDir))
    if (file.endsWith('.map'))
      maps.set(file.slice(0, -4), new SourceMap(JSON.parse(await readFile(join(bundleDir, file), 'utf8'))));
  return ({ url, lineNumber, columnNumber }: Frame): string => {
    const map = maps.get(url.slice(url.lastIndexOf('/') + 1));
    const entry = map?.findEntry(lineNumber, columnNumber);
    return entry && 'originalSource' in entry ? entry.originalSource : url;
  };
};

const areaOf = (source: string): string | undefined => AREAS.find(([, pattern]) => pattern.test(source))?.[0];

/** Self time by area and function. Time in Node's own code is attributed to the area that called it, if the stack tells. */
const attribute = (profile: CpuProfile, sourceOf: (frame: Frame) => string) => {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parentOf = new Map(
    profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)),
  );
  const sources = new Map(profile.nodes.map((node) => [node.id, sourceOf(node.callFrame)]));
  const areas = new Map<string, number>();
  const functions = new Map<string, number>();
  const areaAt = (id: number): string => {
    const native = NATIVE[byId.get(id)?.callFrame.functionName ?? ''];
    if (native) return native;
    let at: number | undefined = id;
    while (at !== undefined) {
      const area = areaOf(sources.get(at) ?? '');
      if (area) return area;
      at = parentOf.get(at);
    }
    const own = sources.get(id) ?? '';
    if (own.startsWith('node:'))
      return /_http_server|http_common|_http_incoming/.test(own)
        ? 'Node: HTTP server'
        : 'Node: net, streams, timers, promises';
    return 'other';
  };
  const add = (map: Map<string, number>, name: string, us: number) => map.set(name, (map.get(name) ?? 0) + us);
  profile.samples.forEach((id, index) => {
    const us = profile.timeDeltas[index] ?? 0;
    const area = areaAt(id);
    add(areas, area, us);
    if (area === 'idle') return;
    const { functionName } = byId.get(id)?.callFrame ?? { functionName: '' };
    const source = (sources.get(id) ?? '')
      .replace(/^.*node_modules\//, '')
      .replace(/^.*\/(shared|infra|functions)\//, '$1/');
    add(functions, `${functionName || '(anonymous)'} — ${source || 'V8'}`, us);
  });
  return { areas, functions };
};

const WARM_MS = 4_000;
const MEASURE_MS = 8_000;
const CONNECTIONS = 16;

/** The profile with the most work is that of the gateway's process. */
const largestProfile = async (folder: string): Promise<CpuProfile> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.cpuprofile'));
  const profiles = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile),
  );
  const [largest] = profiles.sort((a, b) => b.nodes.length - a.nodes.length);
  if (!largest) throw new Error('The local stack wrote no profile.');
  return largest;
};

type Attributed = Awaited<ReturnType<typeof attribute>>;

/** One profile of the service's process under load, and how much it took. */
const profileOnce = async (): Promise<Attributed & { readonly perSecond: number }> => {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-profile-'));
  const store = await startStore();
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'];
  const localStack = await startStackProcess({ dataDir: store.folder, dynamodbEndpoint: store.endpoint, nodeOptions });
  const { keys } = await fundedOrganization(store.endpoint);
  const plan = sendPlan(keys.test, process.env.TO ?? '+5511999990099', 'otp');
  const { perSecond } = await runLoadInThread({
    ...plan,
    port: localStack.port,
    connections: CONNECTIONS,
    warmMs: WARM_MS,
    measureMs: MEASURE_MS,
    method: 'POST',
  });
  await localStack.stop();
  await store.stop();
  const profile = await largestProfile(folder);
  await rm(folder, { recursive: true, force: true });
  return { ...attribute(profile, await sourceFinder(join(PROJECT, 'dist', 'bundle'))), perSecond };
};

/**
 * The shares of the busy time before calls of the table went past the SDK's middleware and rows were encoded once, in %: at commit dd87f0c on
 * 2026-11-21, with 291 sends/s, while other work took part of the machine.
 */
const BEFORE: Readonly<Record<string, number>> = {
  'SDK: serialising, schemas': 14.2,
  'SDK: signing': 14.1,
  other: 9.53,
  'Node: net, streams, timers, promises': 9.42,
  'SDK: middleware, client, endpoints': 9.1,
  gateway: 8.89,
  'SDK: HTTP handler': 7.66,
  rules: 6.14,
  storage: 4.75,
  'garbage collection': 4.1,
  'marshall, unmarshall': 3.27,
  'logger, metrics': 3.27,
  'operation wrapper': 1.81,
  'native code, system calls': 1.38,
  'Node: HTTP server': 1.23,
  zod: 0.56,
  middy: 0.49,
};

const addTo = (sums: Map<string, number>, more: ReadonlyMap<string, number>): void => {
  for (const [name, us] of more) sums.set(name, (sums.get(name) ?? 0) + us);
};

/** CPU time of a send by area, in the service's process, of all rounds together. */
export const benchProfile = async (): Promise<Section> => {
  const [areas, functions] = [new Map<string, number>(), new Map<string, number>()];
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const profiled = await profileOnce();
    addTo(areas, profiled.areas);
    addTo(functions, profiled.functions);
    rates.push(profiled.perSecond);
  }
  const busy = [...areas].filter(([name]) => name !== 'idle').reduce((sum, [, us]) => sum + us, 0);
  const rows = (map: Map<string, number>, most: number) =>
    [...map]
      .filter(([name]) => name !== 'idle')
      .sort((a, b) => b[1] - a[1])
      .slice(0, most)
      .map(([name, us]) => [name, `${figure((100 * us) / busy)} %`]);
  const text = [
    `V8's sampling profiles of the local stack's process over its whole life, ${ROUNDS} of them added up, including its start, with ${figure(median(rates))} sends/s at ${CONNECTIONS} connections and no sandbox outcomes. Node's own code is attributed to the area that called it, if the stack trace shows it.
Before: commit dd87f0c, 2026-11-21, 291 sends/s, beside other work. The whole that is shared out was more then: the processor time of a send stands in "Before and after".`,
    table(
      ['Area', 'Share of busy time', 'Before'],
      rows(areas, 30).map(([name = '', share = '']) => [name, share, name in BEFORE ? `${BEFORE[name]} %` : '']),
    ),
    table(['Function by self time', 'Share of busy time'], rows(functions, 25)),
  ];
  return { title: 'Where a send spends its time', verdicts: [], text: text.join('\n\n') };
};
