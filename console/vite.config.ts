import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { NONCE_PLACEHOLDER } from '../infra/console/page.ts';
import { mantineStyles } from './mantine-styles.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [mantineStyles(), react()],
  // Replaced in each response by a new nonce: docs/console.md#serving.
  html: { cspNonce: NONCE_PLACEHOLDER },
  build: {
    // It is read by tests and the deployment.
    manifest: 'manifest.json',
    assetsDir: 'assets',
    // An inlined file would be a data: URL, which the content security policy refuses.
    assetsInlineLimit: 0,
    emptyOutDir: true,
  },
});
