// What /proc says about the processes of one test.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it ended meanwhile
  }
}

export function allProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const stat = read(`/proc/${name}/stat`);
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return { pid: Number(name), ppid: Number(ppid), state, args: read(`/proc/${name}/cmdline`).split('\0').slice(0, -1) };
    })
    .filter((process) => process.state);
}

// Processes started for a data directory, clients and daemon.
export function processesOf(home) {
  return allProcesses().filter((process) => process.args.some((arg) => arg.includes(home.root)) && process.state !== 'Z');
}

// The processes that hold a listening socket: the daemon.
export function daemonsOf(home) {
  return processesOf(home).filter((process) => socketPaths(process.pid).length > 0);
}

// A zombie has no command line left, but its parent has.
export function zombiesOf(home) {
  const parents = new Set([process.pid, ...processesOf(home).map(({ pid }) => pid)]);
  return allProcesses().filter(({ state, ppid }) => state === 'Z' && parents.has(ppid));
}

// Paths of the Unix sockets a process listens on.
export function socketPaths(pid) {
  let links = [];
  try {
    links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return '';
      }
    });
  } catch {
    return [];
  }
  const inodes = new Set(links.flatMap((link) => link.match(/^socket:\[(\d+)\]$/)?.[1] ?? []));
  const listening = 0x10000; // __SO_ACCEPTCON
  return read('/proc/net/unix')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((field) => inodes.has(field[6]) && parseInt(field[3], 16) & listening && field[7])
    .map((field) => field[7]);
}
