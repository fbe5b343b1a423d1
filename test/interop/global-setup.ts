import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { begin } from "./time.ts";

/** For the report and for what is installed. */
const FOLDER = join(import.meta.dirname, "../../.interop");

export default async function setUp(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  begin();
}
