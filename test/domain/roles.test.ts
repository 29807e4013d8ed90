import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { KEY_SCOPES } from '../../shared/domain/access/keys.ts';
import {
  ADDED_SCOPES,
  missingForRole,
  OPERATOR_SCOPES,
  ROLES,
  scopesOfRole,
} from '../../shared/domain/access/roles.ts';
import { SCOPES, type Scope, withNarrowerScopes } from '../../shared/domain/core/scopes.ts';
import { scopeOf } from '../support/requests.ts';

describe('the scopes of the roles', () => {
  const isOperators = (scope: string) => scope.startsWith('operator:');

  test('name every scope once, so that none is forgotten or given twice: those of the stage are the operator’s', () => {
    const given = [...Object.values(ADDED_SCOPES).flat(), ...OPERATOR_SCOPES.filter(isOperators)];
    expect(given.sort()).toEqual([...SCOPES].sort());
  });

  test('of an organization exclude the operator’s, who holds none of theirs except to list and end sessions', () => {
    for (const role of ROLES) expect([...scopesOfRole(role)].filter(isOperators)).toEqual([]);
    const held = [...scopesOfRole('operator')];
    expect(held.filter((scope) => !isOperators(scope))).toEqual(['accounts:read']);
    for (const role of ROLES) expect(missingForRole(scopesOfRole(role), 'operator')).not.toEqual([]);
    expect(withNarrowerScopes(KEY_SCOPES).has('operator:read')).toBe(false);
  });

  test('let only an operator call an operation of the stage, and only in a session', () => {
    const stage = OPERATIONS.filter(({ path }) => path.startsWith('/v2/operator/'));
    expect(stage.length).toBeGreaterThan(0);
    for (const { id, method, permission } of stage)
      expect(permission, id).toEqual({ session: method === 'GET' ? 'operator:read' : 'operator:write' });
    const others = OPERATIONS.filter((contract) => !stage.includes(contract));
    expect(others.filter((contract) => isOperators(scopeOf(contract) ?? ''))).toEqual([]);
  });

  test('cover every operation: an owner may call each, and a viewer none that changes anything but its own sessions', () => {
    for (const contract of OPERATIONS) {
      const scope = scopeOf(contract) as Scope | undefined;
      if (scope === undefined || isOperators(scope)) continue;
      expect(scopesOfRole('owner'), contract.id).toContain(scope);
      const harmless = contract.method === 'GET' || /preview|render|simulate|sessions|export-jobs/.test(contract.id);
      if (!harmless) expect([...scopesOfRole('viewer')].includes(scope), contract.id).toBe(false);
    }
  });

  test('grow from role to role, and contain what is part of their scopes', () => {
    for (const [at, role] of ROLES.entries()) {
      const held = scopesOfRole(role);
      for (const narrower of ROLES.slice(0, at)) expect(missingForRole(held, narrower)).toEqual([]);
      for (const wider of ROLES.slice(at + 1)) expect(missingForRole(held, wider)).not.toEqual([]);
      expect(withNarrowerScopes([...held])).toEqual(held);
    }
  });

  test('keep personal data from viewers, support and developers, and money from admins', () => {
    for (const role of ['viewer', 'support', 'developer'] as const)
      for (const scope of ['pii:full', 'contacts:pii', 'audit:read'] as const)
        expect(scopesOfRole(role)).not.toContain(scope);
    expect([...scopesOfRole('admin')].filter((scope) => scope.startsWith('wallet'))).toEqual(['wallet:read']);
  });

  test('are out of reach of any key above developer: only a person makes admins and owners', () => {
    const key = withNarrowerScopes(KEY_SCOPES);
    expect(ROLES.filter((role) => missingForRole(key, role).length === 0)).toEqual(['viewer', 'support', 'developer']);
    expect(missingForRole(key, 'owner')).toEqual(['contacts:pii']);
  });
});

test('the holder of a wider scope holds the scopes that are part of it, and not the reverse', () => {
  expect(withNarrowerScopes(['messages:send', 'webhooks:write'])).toEqual(
    new Set(['messages:send', 'webhooks:write', 'messages:manage', 'webhooks:replay']),
  );
  expect(withNarrowerScopes(['messages:manage'])).toEqual(new Set(['messages:manage']));
});
