import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { AREAS } from '../areas/index.ts';
import type { Area, AreaPage, Opening } from './area.ts';
import { Layout } from './layout.tsx';
import { BASE, parseSearch, stringifySearch } from './links.ts';
import { CrashedPage, ForbiddenPage, NotFoundPage, PendingPage, PendingSession } from './pages.tsx';
import { newQueryClient } from './queries.ts';
import { restoreSession, type Scope, sessionNow } from './session.ts';
import { SignInPage } from './sign-in-page.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignInPage });

/** Everything but signing in needs a session: the cookie's, or a new one. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Layout,
  pendingComponent: PendingSession,
  beforeLoad: async ({ location }) => {
    const { environment, session } = sessionNow();
    if (session ?? (await restoreSession(environment))) return;
    throw redirect({ to: '/sign-in', search: { to: location.href } });
  },
});

/** The start page of a person whose role has no access to the overview: an operator's. */
const ownStart = (held: readonly Scope[]): Area | undefined =>
  AREAS.find(({ group, scope }) => group === 'stage' && scope !== undefined && held.includes(scope));

const Refused = ({
  area,
  scope,
  held,
}: {
  readonly area: Area;
  readonly scope: Scope;
  readonly held: readonly Scope[];
}) => {
  const first = area.path === '' ? ownStart(held) : undefined;
  return first ? <Navigate to={`/${first.path}`} replace /> : <ForbiddenPage scope={scope} />;
};

const guarded = (area: Area, Component: ComponentType): ComponentType => {
  const { scope } = area;
  if (scope === undefined) return Component;
  return () => {
    const held = sessionNow().session?.scopes;
    return held?.includes(scope) === false ? <Refused area={area} scope={scope} held={held} /> : <Component />;
  };
};

/** A page's calls begin with the loading of its files, not behind it; not for a link that is only pointed at. */
const loaderOf = ({ scope }: Area, { ask }: AreaPage) =>
  ask &&
  (({ params, location, preload }: { params: object; location: { search: object }; preload: boolean }): void => {
    if (preload || (scope !== undefined && !sessionNow().session?.scopes.includes(scope))) return;
    ask(cacheNow(), { params, search: location.search } as Opening);
  });

const pagesOf = (area: Area) =>
  area.pages.map((page) => {
    const { path, load } = page;
    const loader = loaderOf(area, page);
    const component = lazyRouteComponent(async () => ({ default: guarded(area, (await load()).default) }));
    return createRoute({
      getParentRoute: () => signedIn,
      path: `/${area.path}${path === '/' ? '' : path}`,
      component,
      pendingComponent: PendingPage,
      ...(loader ? { loader } : {}),
    });
  });

export const router = createRouter({
  basepath: BASE,
  routeTree: root.addChildren([signIn, signedIn.addChildren(AREAS.flatMap(pagesOf))]),
  defaultErrorComponent: CrashedPage,
  defaultNotFoundComponent: NotFoundPage,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
});

let cache: { readonly whose: string; readonly client: QueryClient } | undefined;
/** The cache of the session that is open: data of one environment or person must not be shown in another. */
export const cacheNow = (): QueryClient => {
  const { environment, session } = sessionNow();
  const whose = `${environment} ${session?.session.id ?? ''}`;
  if (cache?.whose !== whose) cache = { whose, client: newQueryClient(() => void router.invalidate()) };
  return cache.client;
};
