/** Devices of several machines: what is the same device keeps its id, and what only goes by the same id gets one of its own. */
import type { Report } from './schema.ts';

/** A report with the file that it came from, for messages. */
export interface Part {
  readonly file: string;
  readonly report: Report;
}

type Device = Report['devices'][number];

/** The host device is another on every platform; a GPU is another where its name, chip or driver is. */
export const deviceText = ({ id, name, chip, driver }: Device, { program }: Report): string =>
  id === 'host' ? `host on ${program.platform}` : [id, name, chip, driver].filter(Boolean).join(' ');

/** Reports in which every id stands for one device: a second `cuda:0` becomes `cuda:0@2`. */
export function withDevices(parts: readonly Part[]): Part[] {
  const known = new Map<string, string[]>();
  return parts.map(({ file, report }) => {
    const renamed = new Map<string, string>();
    const devices = report.devices.map((device) => {
      const all = known.get(device.id) ?? [];
      const text = deviceText(device, report);
      if (!all.includes(text)) all.push(text);
      known.set(device.id, all);
      const at = all.indexOf(text);
      if (at === 0) return device;
      const id = `${device.id}@${at + 1}`;
      renamed.set(device.id, id);
      return { ...device, id, name: device.id === 'host' ? text : device.name };
    });
    if (renamed.size === 0) return { file, report };
    const of = (id: string): string => renamed.get(id) ?? id;
    const registrations = report.registrations.map((row) => ({ ...row, device: of(row.device) }));
    const units = report.plan.units.map(({ unit, shard }) => ({ unit: renamedUnit(unit, of), shard }));
    return { file, report: { ...report, devices, registrations, plan: { ...report.plan, units } } };
  });
}

function renamedUnit(unit: string, of: (id: string) => string): string {
  const at = unit.lastIndexOf(' ');
  return at < 0 ? unit : `${unit.slice(0, at + 1)}${of(unit.slice(at + 1))}`;
}
