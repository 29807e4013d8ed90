// The components' own come with them: console/mantine-styles.ts.
import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { styleNonce } from './app/theme.ts';

// Where the package that keeps the page from scrolling behind a dialog looks for the nonce of its style.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
