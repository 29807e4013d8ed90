import { describe, expect, test, vi } from 'vitest';
import { ROLES, scopesOfRole } from '../../shared/domain/access/roles.ts';
import type { Scope } from '../../shared/domain/core/scopes.ts';
import { use } from '../support/use.ts';
import { made, PATIENCE, startConsole, visit } from './kit.ts';

const service = await use(startConsole());

interface OfferingPage {
  readonly path: string;
  /** Stands there for everybody who may read the page. */
  readonly shows: string;
  /** An action of the page, and the scope of its operation. */
  readonly actions: Readonly<Record<string, Scope>>;
  /** Without it the page, or its part, is not there. */
  readonly reads?: Scope;
}

const tenant = await service.tenant();
const contact = await made(tenant, '/contacts', { phone: '+5511980000001', name: 'Bia Melo', cpf: '52998224725' });
const company = await made(tenant, '/v2/companies', { nome: 'Padaria Sol' });
const number = await made(tenant, '/numbers', {
  phoneNumberId: '778800991777',
  wabaId: '102290129340398',
  accessToken: 'EAAJ-segredo',
});
await made(tenant, '/v2/push/apps', { name: 'Loja' });
await made(tenant, '/v2/smpp/accounts', { name: 'ERP', route: 'premium' });
expect((await tenant.test.send({ senderId: 'LOJA' })).status).toBe(201);

const PAGES: readonly OfferingPage[] = [
  {
    path: '/contacts',
    shows: 'Bia Melo',
    actions: {
      'Novo contato': 'contacts:write',
      'Importar arquivo': 'contacts:write',
      'Exportar contatos': 'messages:read',
    },
  },
  {
    path: `/contacts/${contact.id}?tab=privacy`,
    shows: '***.982.247-**',
    actions: {
      Editar: 'contacts:write',
      'Unir com outro': 'contacts:write',
      Revelar: 'contacts:pii',
      'Baixar em JSON': 'pii:full',
      'Apagar esta pessoa': 'contacts:write',
    },
  },
  {
    path: `/contacts/${contact.id}?tab=consent`,
    shows: 'O consentimento vale para todos os canais.',
    actions: { 'Registrar negativa': 'contacts:write', 'Registrar consentimento': 'contacts:write' },
  },
  {
    path: `/contacts/${contact.id}?tab=lists`,
    shows: 'Bia Melo',
    actions: { 'Pôr numa lista': 'contacts:write', 'Mostrar listas e segmentos': 'pii:full' },
  },
  {
    path: `/contacts/${contact.id}?tab=activities`,
    shows: 'Nenhuma atividade',
    actions: { 'Nova atividade': 'crm:write' },
  },
  {
    path: '/companies',
    shows: 'Padaria Sol',
    actions: { 'Nova empresa': 'crm:write', 'Importar empresas': 'crm:write' },
  },
  {
    path: `/companies/${company.id}`,
    shows: 'Padaria Sol',
    actions: { Editar: 'crm:write', Excluir: 'crm:delete' },
  },
  {
    path: '/senders',
    shows: 'LOJA',
    actions: { 'Novo remetente': 'senders:write', 'Ações para LOJA': 'senders:write' },
  },
  { path: '/senders?tab=numbers', shows: number.displayPhone, actions: { 'Conectar número': 'numbers:write' } },
  {
    path: `/senders/numbers/${number.id}`,
    shows: number.displayPhone,
    actions: {
      'Atualizar da Meta': 'numbers:write',
      'Editar perfil': 'numbers:write',
      'Ritmo e token': 'numbers:write',
      Desconectar: 'numbers:write',
    },
  },
  {
    path: '/senders?tab=push',
    shows: 'Loja',
    actions: { 'Novo app': 'push:send', 'Ações para Loja': 'push:send' },
  },
  {
    path: '/senders?tab=smpp',
    shows: 'ERP',
    actions: { 'Nova conta SMPP': 'keys:write', 'Ações para ERP': 'keys:write' },
    reads: 'keys:read',
  },
];

describe.each(ROLES)('a person with the role %s', (role) => {
  test('is offered what the role may do, and nothing else', async () => {
    const held = scopesOfRole(role);
    const page = await service.signedInAt('/console/nowhere', tenant, role);
    const main = page.locator('main');
    const found = new Map<string, readonly string[]>();
    const wanted = new Map<string, readonly string[]>();
    for (const { path, shows, actions, reads } of PAGES) {
      if (reads && !held.has(reads)) continue;
      await visit(page, `/console${path}`);
      await main.getByText(shows, { exact: true }).first().waitFor();
      const offered = async () => {
        const names: string[] = [];
        for (const name of Object.keys(actions)) {
          const [button, link] = [main.getByRole('button', { name, exact: true }), main.getByRole('link', { name })];
          if ((await button.or(link).count()) > 0) names.push(name);
        }
        return names;
      };
      const allowed = Object.keys(actions).filter((name) => held.has(actions[name] as Scope));
      // All pages are compared at once: what waits for an answer gets as long as it needs.
      await vi.waitUntil(async () => (await offered()).length >= allowed.length, PATIENCE).catch(() => undefined);
      found.set(path, await offered());
      wanted.set(path, allowed);
    }
    expect(found).toEqual(wanted);
    await visit(page, '/console/contacts');
    await main.getByText('Filtros', { exact: false }).first().waitFor();
    // A person who sees phones masked cannot search by phone.
    expect(await main.getByRole('searchbox').count()).toBe(held.has('pii:full') ? 1 : 0);
    await visit(page, '/console/senders');
    await main.getByRole('tab', { name: 'Remetentes' }).waitFor();
    expect(await main.getByRole('tab', { name: 'Contas SMPP' }).count()).toBe(held.has('keys:read') ? 1 : 0);
    const composer = page.getByRole('navigation').getByRole('link', { name: 'Nova mensagem' });
    expect(await composer.count()).toBe(held.has('messages:send') ? 1 : 0);
  });
});
