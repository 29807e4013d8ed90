import { createServer } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import type { TemplateComponent } from '../../shared/domain/channels/whatsapp/templates/template.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { type ManagementOptions, managementAddress, metaManagement } from '../../shared/providers/meta/management.ts';
import { mediaStore } from '../../shared/storage/whatsapp/media.ts';
import { aNumber, aTemplate, portsOf, tenant } from '../numbers/kit.ts';
import { accepted } from '../support/accepted.ts';
import { listening } from '../support/loopback.ts';
import { networkIo } from '../support/providers/io.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { APP_ID, type MetaExamplesStandIn, startMetaExamples } from './meta-examples-stand-in.ts';

const TOKEN = 'token';
const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(3_000, 7)]);
const PDF = Buffer.from('%PDF-1.7\n');
const MEDIA_ID = '1037543291543636';

let meta: MetaExamplesStandIn;
let ports: ReturnType<typeof portsOf>['ports'];
let actor: Actor;
let number: WhatsappNumber;
let over: Partial<ManagementOptions>;
const pages = new Map<string, { status: number; body: Buffer; location?: string }>();
const server = createServer(({ url = '' }, response) => {
  const page = pages.get(url);
  response.writeHead(page?.status ?? 404, page?.location ? { location: page.location } : {}).end(page?.body);
});
const { url: siteUrl } = await use(listening(server));
const world = await use(startWorld('live'));
beforeEach(async () => {
  meta = await startMetaExamples(TOKEN);
  over = { allowLoopbackHttp: true };
  const address = managementAddress({ baseUrl: meta.baseUrl, timeoutMs: 5_000, appId: APP_ID });
  const io = networkIo(() => world.now);
  ({ ports } = portsOf(world, async (_, accessToken) => metaManagement(io, { ...address, accessToken, ...over })));
  actor = await tenant(world);
  number = await aNumber(portsOf(world).ports, actor);
  return () => meta.close();
});

const BODY = { type: 'BODY', payload: { text: 'Oi' } };
const header = (handle?: string, format = 'IMAGE'): TemplateComponent => ({
  type: 'HEADER',
  payload: { format, ...(handle === undefined ? {} : { example: { header_handle: [handle] } }) },
});
const submit = async (components: readonly TemplateComponent[], headerExampleUrl?: string) => {
  const fields = { numberId: number.id, category: 'marketing', components, headerExampleUrl } as const;
  const { id } = await aTemplate(ports, actor, fields);
  const outcome = await submitTemplate(ports, actor, id);
  return { outcome, saved: await ports.templates.read(actor.organizationId, id) };
};
/** An upload of the organization that Meta has. */
const stored = async (bytes: Buffer = PNG, organizationId = actor.organizationId) => {
  meta.media.set(MEDIA_ID, bytes);
  await mediaStore(world.table).keep({
    mediaId: MEDIA_ID,
    organizationId,
    numberId: number.id,
    kind: 'image',
    mimeType: 'image/png',
    filename: 'foto.png',
    size: bytes.length,
    sha256: 'x',
    storedAt: world.now,
    expiresAt: world.now + 1_000_000,
  });
};
const onlyUpload = () => {
  const [[handle, file] = []] = [...meta.uploaded];
  return { handle, file };
};
const isDraft = async ({ outcome, saved }: Awaited<ReturnType<typeof submit>>, name: string) => {
  if (!isRefusal(outcome)) throw new Error('It was submitted.');
  expect(outcome.name).toBe(name);
  expect(saved?.status).toBe('draft');
  expect(meta.templates).toEqual([]);
  return outcome.details.detail;
};

describe('the example of a media header', () => {
  test('that was uploaded before is passed on byte for byte when the template is submitted', async () => {
    await stored();
    const { outcome, saved } = await submit([header(MEDIA_ID), BODY]);
    expect(accepted(outcome).status).toBe('pending');
    const { handle, file } = onlyUpload();
    expect(file).toEqual({ bytes: PNG, type: 'image/png' });
    expect(meta.templates[0]?.components[0]).toEqual({
      type: 'HEADER',
      format: 'IMAGE',
      example: { header_handle: [handle] },
    });
    expect(saved?.components[0]).toEqual(header(MEDIA_ID));
  });

  test('that is given by its URL is downloaded and passed on', async () => {
    pages.set('/foto', { status: 200, body: PNG });
    const { outcome } = await submit([header(), BODY], `${siteUrl}/foto`);
    expect(accepted(outcome).status).toBe('pending');
    const { handle, file } = onlyUpload();
    expect(file?.bytes).toEqual(PNG);
    expect(meta.templates[0]?.components[0]).toMatchObject({ example: { header_handle: [handle] } });
  });

  test('of every card is passed on', async () => {
    await stored();
    const card = { components: [{ type: 'HEADER', format: 'IMAGE', example: { header_handle: [MEDIA_ID] } }] };
    const { outcome } = await submit([BODY, { type: 'CAROUSEL', payload: { cards: [card, card] } }]);
    expect(accepted(outcome).status).toBe('pending');
    const [first, second] = [...meta.uploaded.keys()];
    const shown = (handle?: string) => ({
      components: [{ ...card.components[0], example: { header_handle: [handle] } }],
    });
    expect(meta.templates[0]?.components[1]).toEqual({ type: 'CAROUSEL', cards: [shown(first), shown(second)] });
  });

  test('that is already a handle of Meta is sent unchanged', async () => {
    meta.uploaded.set('4:own', { bytes: PNG, type: 'image/png' });
    accepted((await submit([header('4:own'), BODY])).outcome);
    expect(meta.templates[0]?.components[0]).toMatchObject({ example: { header_handle: ['4:own'] } });
    expect(meta.uploaded.size).toBe(1);
  });
});

describe('a template stays a draft, and Meta receives nothing, when its example', () => {
  test('is not of the type of its header', async () => {
    await stored(PDF);
    expect(await isDraft(await submit([header(MEDIA_ID), BODY]), 'VALIDATION_ERROR')).toContain('image/jpeg');
  });

  test("is another organization's", async () => {
    await stored(PNG, newId('organization'));
    expect(isRefusal((await submit([header(MEDIA_ID), BODY])).outcome)).toBe(true);
    expect(meta.uploaded.size).toBe(0);
  });

  test('cannot be uploaded', async () => {
    await stored();
    meta.state.failUploads = true;
    await isDraft(await submit([header(MEDIA_ID), BODY]), 'DEPENDENCY_FAILED');
  });

  test('would be fetched with the token from a host that is not Meta’s', async () => {
    await stored();
    meta.state.mediaHost = siteUrl;
    await isDraft(await submit([header(MEDIA_ID), BODY]), 'DEPENDENCY_FAILED');
  });

  test('needs an app id that is not configured, which the error names', async () => {
    await stored();
    over = { appId: undefined };
    expect(await isDraft(await submit([header(MEDIA_ID), BODY]), 'DEPENDENCY_FAILED')).toContain('appId');
  });

  test.each([
    ['does not exist', '/absent', { status: 404, body: Buffer.alloc(0) }],
    ['redirects', '/moved', { status: 302, body: Buffer.alloc(0), location: 'http://169.254.169.254/' }],
    ['is too long', '/long', { status: 200, body: Buffer.alloc(16 * 1024 * 1024 + 1, 7) }],
  ])('%s', async (_, path, page) => {
    pages.set(path, page);
    await isDraft(await submit([header(), BODY], `${siteUrl}${path}`), 'VALIDATION_ERROR');
  });

  test('is on a network that may not be called', async () => {
    over = { allowLoopbackHttp: false };
    for (const url of [`${siteUrl}/foto`, 'https://169.254.169.254/a.png', 'https://localhost/a.png'])
      await isDraft(await submit([header(), BODY], url), 'VALIDATION_ERROR');
  });
});
