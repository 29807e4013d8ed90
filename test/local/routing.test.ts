import { describe, expect, it } from 'vitest';
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
    'finds nothing at %j',
    (path) => {
      expect(found('GET', path)).toBe('unknown_path');
    },
  );

  it('lists the allowed methods of a path for another method, static segments before parameters', () => {
    expect(match('DELETE', '/a')).toEqual({ kind: 'wrong_method', allow: ['GET', 'POST', 'HEAD'] });
    expect(match('GET', '/a/preview')).toEqual({ kind: 'wrong_method', allow: ['POST'] });
    expect(match('HEAD', '/a/preview')).toEqual({ kind: 'wrong_method', allow: ['POST'] });
    expect(match('HEAD', '/a/x')).toEqual(match('GET', '/a/x'));
  });

  it.each(['/a/%', '/a/%zz', '/a/%C'])('reports a broken percent-encoding as malformed: %s', (path) => {
    expect(found('GET', path)).toBe('malformed');
  });

  it('takes bytes that are no UTF-8 for characters that are in no id', () => {
    expect(match('GET', '/a/%ff%C3%A9')).toMatchObject({ kind: 'found', values: ['\uFFFDé'] });
  });

  it('refuses two operations on the same route', () => {
    expect(() => makeRouter([operation('a.get', 'GET', '/a/{id}'), operation('b.get', 'GET', '/a/{other}')])).toThrow(
      'GET /a/{other}',
    );
  });
});
