/** The entry of the program and of its worker threads. What needs little is answered first; the rest is loaded when needed. */

const [flag, ...more] = process.argv.slice(2);

if (!Bun.isMainThread) {
  const { workerData } = await import('node:worker_threads');
  if (workerData?.role === 'gates') await (await import('./gates/lanes/serve-thread.ts')).serveThread(workerData.setup);
  if (workerData?.role === 'watchdog') (await import('./gates/lanes/watchdog.ts')).watch(workerData);
} else if (flag === '--serve-faults' && process.send) {
  process.on('disconnect', () => process.exit()); // its parent is gone, and nobody waits for what it does
  await (await import('./faults/worker.ts')).serveFaults(JSON.parse(more[0] ?? '{}'));
} else if (flag === '--serve-jobs' && process.send) {
  const { serveProcess } = await import('./gates/lanes/serve-process.ts');
  process.on('disconnect', () => process.exit()); // not before the import: what comes in from then on needs a listener
  serveProcess();
} else if (flag === '--serve-devices' && process.send) {
  await (await import('./cli/find-devices.ts')).serveDevices(more);
} else if (flag === '--version' && more.length === 0) {
  console.log((await import('./cli/version.ts')).versionText());
} else if ((flag === '--help' || flag === '-h') && more.length === 0) {
  console.log((await import('./cli/arguments/usage.ts')).mainPage());
} else {
  const { main } = await import('./cli/main.ts');
  process.exitCode = await main(process.argv.slice(2));
}

export {}; // a module, so that it may await
