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
import type { Area } from './area.ts';
import { Layout } from './layout.tsx';
import { CrashedPage, ForbiddenPage, NotFoundPage, PendingPage, PendingSession } from './pages.tsx';
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

const pagesOf = (area: Area) =>
  area.pages.map(({ path, load }) => {
    const page = lazyRouteComponent(async () => ({ default: guarded(area, (await load()).default) }));
    return createRoute({
      getParentRoute: () => signedIn,
      path: `/${area.path}${path === '/' ? '' : path}`,
      component: page,
      pendingComponent: PendingPage,
    });
  });

/** Search parameters are texts: a phone number stays one, and an address is read as it is written. */
const parseSearch = (text: string) => Object.fromEntries(new URLSearchParams(text));
const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const given = Object.entries(search).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([signIn, signedIn.addChildren(AREAS.flatMap(pagesOf))]),
  defaultErrorComponent: CrashedPage,
  defaultNotFoundComponent: NotFoundPage,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
});
