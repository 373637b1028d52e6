import type { ScaleKind } from "../data/index.ts";
import { engineMoments, openEngineTable } from "../engine/index.ts";
import {
  engineSource,
  engineTableOptions,
  routeText,
  withEngine,
  type EngineOptions,
} from "./engineInput.ts";
import type { InputOptions } from "./input.ts";
import type { MetricMethod } from "./metricMethods.ts";
import { metricFromMoments, type LearnedMetric } from "./streamedMetric.ts";

/** Learns a metric from the sums of a table on an engine; the time includes them. */
export function engineMetric(
  options: EngineOptions & InputOptions,
  method: MetricMethod,
  { scale, own }: { scale: ScaleKind; own: Record<string, unknown> },
): Promise<LearnedMetric> {
  const start = performance.now();
  return withEngine(options, async (engine) => {
    const table = await openEngineTable(engine, engineSource(options), engineTableOptions(options));
    const { statistics, classwise, route, notes } = await engineMoments(table, {
      classwise: method.stream!.groups === true,
    });
    const learned = await metricFromMoments({ statistics, classwise }, method, { scale, own });
    return {
      ...learned,
      source: table.source,
      notes: [...notes, ...learned.notes],
      engine: `${engine.name}, ${routeText(route)}`,
      seconds: (performance.now() - start) / 1000,
    };
  });
}
