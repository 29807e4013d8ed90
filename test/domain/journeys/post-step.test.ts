import { describe, expect, test } from 'vitest';
import { newId } from '../../../shared/domain/core/ids.ts';
import type { Journey } from '../../../shared/domain/journeys/journey.ts';
import type { JourneyLineage } from '../../../shared/domain/journeys/lineage.ts';
import { type PostPorts, postStep } from '../../../shared/domain/journeys/post-step.ts';
import type { PostOutcome } from '../../../shared/domain/webhooks/ports.ts';
import { contactOf, definition, passo, START, startedRun } from '../../support/journeys/build.ts';

const URL = 'https://hooks.loja.com.br/journeys';
const { run, graph } = startedRun(definition([passo('webhook', { url: URL })], []), {
  variables: { cupom: 'A1' },
  event: { id: 'e1', name: 'compra', at: START, properties: { produto: 'cafe' } },
});
const { organizationId, env, rootId, journeyId } = run;
const journey = { id: journeyId, organizationId, env, rootId, contactsShown: 'full' } as Journey;
const contact = contactOf({ organizationId, tags: ['vip'], attributes: { cidade: 'Recife' } });
const context = { run, journey, graph, contact };
const effect = {
  kind: 'webhook',
  step: 'webhook',
  visit: 1,
  attempt: 1,
  url: URL,
  headers: [{ key: 'X-Loja', value: 'abc' }],
} as const;

const answered = (status: number): PostOutcome => ({ kind: 'answered', status, headers: {}, body: '', durationMs: 1 });
type Post = Parameters<PostPorts['post']>[0];
const setUp = (outcome: PostOutcome, secrets: JourneyLineage['secrets'] = [{ version: 1, sealed: 's1' }]) => {
  const posts: Post[] = [];
  let now = START;
  const ports: PostPorts = {
    clock: () => now,
    post: async (post) => {
      posts.push(post);
      return outcome;
    },
    sign: (open, id, seconds, body) => `signed ${[...open, id, seconds, body.length].join(' ')}`,
    userAgent: 'agent',
    readLineage: async () => ({ rootId, organizationId, env, secrets, version: 1 }),
    openSecret: async (_, __, sealed) => `open ${sealed}`,
  };
  return { ports, posts, at: (time: number) => (now = time) };
};
const only = (posts: readonly Post[]): Post => {
  expect(posts).toHaveLength(1);
  return posts[0] as Post;
};

describe('the post of a webhook step', () => {
  test('has contact, run, variables and event, the headers of the step, and a signature over its id, time and body', async () => {
    const { ports, posts } = setUp(answered(204));
    expect(await postStep(ports, context, effect)).toEqual({ kind: 'done', detail: '204' });
    const { url, headers, body } = only(posts);
    const id = headers['webhook-id'];
    const seconds = String(Math.floor(START / 1000));
    expect(url).toBe(URL);
    expect(headers).toEqual({
      'x-loja': 'abc',
      'content-type': 'application/json',
      'user-agent': 'agent',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `signed open s1 ${id} ${seconds} ${String(body).length}`,
    });
    expect(JSON.parse(String(body))).toEqual({
      id,
      type: 'journey.webhook',
      timestamp: new Date(run.beganAt).toISOString(),
      env,
      organizationId,
      data: {
        journeyId,
        runId: run.id,
        passo: 'webhook',
        contato: {
          id: contact.id,
          nome: contact.name,
          telefone: contact.phone,
          tags: ['vip'],
          atributos: { cidade: 'Recife' },
        },
        variaveis: { cupom: 'A1' },
        evento: { id: 'e1', name: 'compra', properties: { produto: 'cafe' } },
      },
    });
  });

  test('shows as much of the contact as who chose its address may see: addresses masked, or the id alone', async () => {
    const { ports, posts } = setUp(answered(204));
    const reachable = { ...contact, email: 'zoe.lima@loja.com.br' };
    for (const contactsShown of ['full', 'masked', 'id', undefined] as const)
      await postStep(ports, { ...context, contact: reachable, journey: { ...journey, contactsShown } }, effect);
    const { id, name: nome, phone: telefone, tags, attributes: atributos } = contact;
    const full = { id, nome, telefone, email: 'zoe.lima@loja.com.br', tags, atributos };
    expect(posts.map(({ body }) => JSON.parse(String(body)).data.contato)).toEqual([
      full,
      { ...full, telefone: '+55119****0005', email: 'z***@loja.com.br' },
      { id },
      { id },
    ]);
  });

  test('has the same id and body at every try of a visit, and another id at the next visit and in another run', async () => {
    const { ports, posts, at } = setUp(answered(500));
    await postStep(ports, context, effect);
    at(START + 60_000);
    await postStep(ports, context, { ...effect, attempt: 2 });
    await postStep(ports, context, { ...effect, visit: 2 });
    await postStep(ports, { ...context, run: { ...run, id: newId('run') } }, effect);
    const [first, second, ...others] = posts.map(({ headers, body }) => ({ id: headers['webhook-id'], body }));
    expect(second).toEqual(first);
    expect(new Set([first, ...others].map((post) => post?.id)).size).toBe(3);
  });

  test('is signed with the active secrets, newest first, and not sent without one', async () => {
    const secrets = [
      { version: 3, sealed: 's3' },
      { version: 2, sealed: 's2', endsAt: START + 1 },
      { version: 1, sealed: 's1', endsAt: START },
    ];
    const { ports, posts } = setUp(answered(200), secrets);
    await postStep(ports, context, effect);
    expect(only(posts).headers['webhook-signature']).toMatch(/^signed open s3 open s2 evt_/);
    const without = setUp(answered(200), []);
    expect(await postStep(without.ports, context, effect)).toEqual({ kind: 'refused', detail: 'sem_segredo' });
    expect(without.posts).toEqual([]);
  });

  test.each<[string, PostOutcome, object]>([
    ['299', answered(299), { kind: 'done', detail: '299' }],
    ['a redirect', answered(302), { kind: 'failed', detail: '302' }],
    ['a refusal', answered(404), { kind: 'failed', detail: '404' }],
    ['an endpoint that is gone', answered(410), { kind: 'refused', detail: '410' }],
    [
      'an answer that is late',
      { kind: 'failed', error: 'timeout', detail: '', durationMs: 1 },
      { kind: 'failed', detail: 'timeout' },
    ],
    [
      'an address that is not allowed',
      { kind: 'failed', error: 'denied_address', detail: '', durationMs: 1 },
      { kind: 'refused', detail: 'denied_address' },
    ],
  ])(
    'succeeds with a 2xx, is retried after a failure, and is abandoned immediately if refused: %s',
    async (_, outcome, result) => {
      expect(await postStep(setUp(outcome).ports, context, effect)).toEqual(result);
    },
  );
});
