/**
 * Installs what package-lock.json names, if it is not there: runs before every npm script, on whatever Node the
 * machine has (10 or later). The Node that the project needs is one of the installed packages.
 */
import { execSync } from "node:child_process";
import { readFileSync } from "node:fs";

const locked = (file) => {
  try {
    const { packages } = JSON.parse(readFileSync(file, "utf8"));
    delete packages[""];
    return packages;
  } catch {
    return undefined;
  }
};

/** npm keeps what it has installed in a lockfile of the same form, without the packages of other platforms. */
const isInstalled = () => {
  const wanted = locked("package-lock.json");
  const present = locked("node_modules/.package-lock.json");
  if (!wanted || !present) return false;
  return Object.keys(wanted).every((path) => {
    const { version, optional, integrity } = wanted[path];
    const found = present[path];
    return found ? found.version === version && found.integrity === integrity : optional;
  });
};

if (!isInstalled()) {
  console.error("Installing the packages of package-lock.json …");
  execSync("npm ci --no-audit --no-fund --loglevel=error", { stdio: ["ignore", process.stderr, "inherit"] });
}
