/** The demo vendors and where each is mounted; the shipped config.yaml names the same paths. */
import { createAppBuilderDemo } from "./appbuilder.ts";
import { createCanonicalDemo } from "./canonical.ts";
import { createLegacyDemo } from "./legacy.ts";
import { startVendorServer, type RunningVendors, type Vendor } from "./server.ts";
import { createSnakeDemo } from "./snake.ts";

const VENDORS: readonly Vendor[] = [
  { prefix: "/v2/a2a/demo-app", create: createAppBuilderDemo },
  { prefix: "/legacy", create: createLegacyDemo },
  { prefix: "/snake", create: createSnakeDemo },
  { prefix: "/canonical", create: createCanonicalDemo },
];

/** Starts all of them on the loopback port; `pace` is that of their slow answers, ms. */
export const startVendors = (port: number, options: { pace?: number } = {}): Promise<RunningVendors> =>
  startVendorServer(port, VENDORS, options);
