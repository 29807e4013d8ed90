import { describe, expect, it } from 'vitest';
import { stageOf } from '../../infra/local/edge.ts';
import { makeRouter, type RoutedOperation } from '../../infra/local/router.ts';

const operation = (id: string, method: RoutedOperation['method'], path: RoutedOperation['path']): RoutedOperation => ({
  id,
  method,
  path,
  permission: 'public',
});

const match = makeRouter([
  operation('a.list', 'GET', '/a'),
  operation('a.create', 'POST', '/a'),
  operation('a.preview', 'POST', '/a/preview'),
  operation('a.get', 'GET', '/a/{id}'),
  operation('a.part', 'GET', '/a/{id}/parts/{partId}'),
  operation('a.special', 'GET', '/a/special/parts/one'),
  operation('files.get', 'GET', '/files/{name+}'),
]);
const found = (method: string, path: string) => {
  const outcome = match(method, path);
  return outcome.kind === 'found' ? [outcome.route.operation.id, ...outcome.values] : outcome.kind;
};

describe('the route table', () => {
  it.each([
    ['GET', '/a', ['a.list']],
    ['POST', '/a', ['a.create']],
    ['GET', '/a/x', ['a.get', 'x']],
    ['GET', '/a/x/parts/y', ['a.part', 'x', 'y']],
    ['GET', '/a/special/parts/one', ['a.special']],
    ['GET', '/a/special/parts/two', ['a.part', 'special', 'two']],
    ['GET', '/a/caf%C3%A9%2F1', ['a.get', 'café/1']],
    ['GET', '/%61/x', ['a.get', 'x']],
    ['GET', '/files/b/c.txt', ['files.get', 'b/c.txt']],
  ])('finds %s %s', (method, path, expected) => {
    expect(found(method, path)).toEqual(expected);
  });

  it.each(['/', '', '/b', '/a/', '//a', '/a//parts/y', '/A', '/a/x/parts', '/a/x/parts/y/z', '/files/', '*'])(
    'knows nothing at %j',
    (path) => {
      expect(found('GET', path)).toBe('unknown_path');
    },
  );

  it('answers a known path with another method with the methods that it takes, a static segment before a parameter', () => {
    expect(match('DELETE', '/a')).toEqual({ kind: 'wrong_method', allow: ['GET', 'POST'] });
    expect(match('GET', '/a/preview')).toEqual({ kind: 'wrong_method', allow: ['POST'] });
    expect(match('HEAD', '/a/x')).toEqual({ kind: 'wrong_method', allow: ['GET'] });
  });

  it.each(['/a/%', '/a/%zz', '/a/%C3'])('calls a broken percent-encoding malformed: %s', (path) => {
    expect(found('GET', path)).toBe('malformed');
  });

  it('refuses two operations at one place', () => {
    expect(() => makeRouter([operation('a.get', 'GET', '/a/{id}'), operation('b.get', 'GET', '/a/{other}')])).toThrow(
      'GET /a/{other}',
    );
  });
});

describe('the edge', () => {
  it.each([
    ['/v2/sms/messages', 'Bearer svc_test_abc', 'test'],
    ['/v2/sms/messages', 'bearer svc_test_abc', 'test'],
    ['/v2/sms/messages', 'Bearer svc_session_test_abc', 'test'],
    ['/v2/sms/messages', 'Bearer svc_live_abc', 'live'],
    ['/v2/sms/messages', 'Bearer svc_session_live_abc', 'live'],
    ['/v2/sms/messages', 'Basic svc_test_abc', 'live'],
    ['/v2/sms/messages', 'Bearer x svc_test_abc', 'live'],
    ['/v2/sms/messages', '', 'live'],
    ['/v2/sms/messages', undefined, 'live'],
    ['/r/tAbc', undefined, 'test'],
    ['/r/lAbc', undefined, 'live'],
    ['/u/tAbc', undefined, 'test'],
    ['/u/lAbc', undefined, 'live'],
    ['/v2/r/tAbc', undefined, 'live'],
  ] as const)('sends %s with %j to %s', (path, authorization, stage) => {
    expect(stageOf(path, authorization)).toBe(stage);
  });
});
