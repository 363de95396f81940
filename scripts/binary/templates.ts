/** Puts what `new` writes into the executable. */
import type { BunPlugin } from 'bun';
import { templateTexts } from '../../src/cli/new/template-texts.ts';
import { bakedModule } from './baked.ts';

export function bakedTemplates(): BunPlugin {
  const text = JSON.stringify(JSON.stringify(templateTexts()));
  return bakedModule(
    'baked templates',
    /\/src\/cli\/new\/template-texts\.ts$/,
    () => `export const templateTexts = () => JSON.parse(${text});`,
  );
}
