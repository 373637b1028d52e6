import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countingResponses, fakeServer, reply, type FakeServer } from "../../engine/spark/server.ts";

/** In processes of their own, since Node reads the authorities when it starts. */
describe.skipIf(spawnSync("openssl", ["version"]).status !== 0)("Spark through TLS (needs openssl)", () => {
  const folder = mkdtempSync(join(tmpdir(), "kindred-spark-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  let server: FakeServer;

  beforeAll(async () => {
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
    const names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    execFileSync("openssl", [...request, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
    server = await fakeServer(
      { ExecutePlan: (stream) => reply(stream, countingResponses(2, 3)) },
      { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") },
    );
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const program = `
    import { answer, spark } from "kindred/engine";
    try {
      const engine = await spark({ remote: process.argv[1] });
      console.log((await answer(engine, "select i from t")).rows);
      await engine.close();
    } catch (error) {
      console.log(error.message);
    }`;
  const printed = async (remote: string, authority?: string): Promise<string> => {
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, remote], {
      env: { ...env, ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }) },
    });
    return (await run).stdout.trim();
  };

  it("with an authority that is known", async () => {
    expect(await printed(`${server.remote}/;use_ssl=true;token=secret`, cert)).toBe("6");
    expect(server.heard.at(-1)!.headers.authorization).toBe("Bearer secret");
  });

  it("with one that is not", async () => {
    expect(await printed(`${server.remote}/;use_ssl=true`)).toBe(
      `no Spark Connect server answers at 127.0.0.1:${server.port}: its certificate is self-signed ` +
        "(name the file of the authority in NODE_EXTRA_CA_CERTS)",
    );
  });

  it("without TLS where it is wanted", async () => {
    expect(await printed(server.remote)).toMatch(
      new RegExp(`^no Spark Connect server answers at 127.0.0.1:${server.port}: \\S`),
    );
  });
});
