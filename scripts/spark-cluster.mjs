// A Spark cluster on this machine for trying and testing: a master, workers and the Spark Connect server, on loopback.
//
//   node scripts/spark-cluster.mjs start [--workers 2] [--cores 1] [--memory 1g] [--port 15002] [--token TEXT]
//                                        [--conf KEY=VALUE]... [--version 3.5.6]
//   node scripts/spark-cluster.mjs status | env | stop
//
// `env` prints what a shell or a test needs; `start` on a cluster that lost workers starts them again.
//
// Spark comes from SPARK_HOME, or from PySpark (which holds the whole of Spark), installed by pip into the
// folder of the cluster: KINDRED_SPARK_HOME, or ~/.cache/kindred/spark. Before version 4 the Connect server is
// a package of its own: its jar is SPARK_CONNECT_JAR, or Spark fetches it (`--packages`) when it starts. The
// folder also holds the tables, the logs and cluster.json, which lists the started processes; `stop` ends only
// these. Tables live as long as the server.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import http2 from "node:http2";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const HOST = "127.0.0.1";
const folder =
  process.env.KINDRED_SPARK_HOME ||
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kindred", "spark");
const record = join(folder, "cluster.json");

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    workers: { type: "string", default: "2" },
    cores: { type: "string", default: "1" },
    memory: { type: "string", default: "1g" },
    port: { type: "string" },
    token: { type: "string" },
    conf: { type: "string", multiple: true, default: [] },
    version: { type: "string", default: "4.0.1" },
  },
});
const PYSPARK = values.version;
const VERBS = { start, status, env, stop };
if (positionals.length !== 1 || !(positionals[0] in VERBS)) {
  fail(
    "usage: node scripts/spark-cluster.mjs start | status | env | stop (the options are in the file's head)",
  );
}
await VERBS[positionals[0]]();

/** Starts missing parts: the whole cluster, or dead workers. */
async function start() {
  if (running().length > 0) return replaceWorkers();
  const java = findJava();
  const spark = sparkHome();
  for (const part of ["logs", "warehouse", "work", "tmp"]) {
    rmSync(join(folder, part), { recursive: true, force: true });
    mkdirSync(join(folder, part), { recursive: true });
  }
  const [master, web] = await freePorts(2);
  const port = await connectPort();
  const { cores, memory, token } = values;
  const cluster = { spark, java, host: HOST, port, master, web, token, cores, memory, processes: [] };
  try {
    const process = begin(cluster, "master", "spark-class", [
      "org.apache.spark.deploy.master.Master",
      ...flags({ host: HOST, port: master, "webui-port": web }),
    ]);
    await until(process, "answers", async () => (await masterState(web)) !== undefined);
    const names = Array.from({ length: Number(values.workers) }, (_, i) => `worker-${i + 1}`);
    await beginWorkers(cluster, names, names.length);
    await beginServer(cluster);
  } catch (error) {
    await stop();
    fail(error.message);
  }
  console.log(`Spark at ${remoteOf(cluster)}: ${values.workers} workers; logs in ${join(folder, "logs")}`);
}

async function replaceWorkers() {
  const cluster = readRecord();
  const [dead, alive] = [[], []];
  for (const process of cluster.processes) (isSpark(process.pid) ? alive : dead).push(process);
  const workers = dead.map(({ name }) => name);
  if (workers.length === 0) return console.log(`running already: ${remoteOf(cluster)}`);
  if (workers.some((name) => !name.startsWith("worker"))) {
    fail(`${workers.join(", ")} of the cluster ended (stop, then start; logs in ${join(folder, "logs")})`);
  }
  cluster.processes = alive;
  const count = alive.filter(({ name }) => name.startsWith("worker")).length + workers.length;
  await beginWorkers(cluster, workers, count);
  console.log(`${workers.join(", ")} started again`);
}

async function beginWorkers(cluster, names, count) {
  const { master, web, cores, memory } = cluster;
  const workers = names.map((name) =>
    begin(cluster, name, "spark-class", [
      "org.apache.spark.deploy.worker.Worker",
      ...flags({ host: HOST, "webui-port": 0, cores, memory, "work-dir": join(folder, "work") }),
      `spark://${HOST}:${master}`,
    ]),
  );
  const registered = async () => ((await masterState(web))?.aliveworkers ?? 0) >= count;
  for (const worker of workers) await until(worker, "is registered", registered);
}

async function beginServer(cluster) {
  const { master, port, cores, memory, processes } = cluster;
  const settings = {
    "spark.driver.host": HOST,
    "spark.driver.bindAddress": HOST,
    "spark.executor.cores": cores,
    "spark.executor.memory": memory,
    "spark.ui.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.warehouse.dir": join(folder, "warehouse"),
    // With few cores the 200 partitions of every shuffle would only cost time.
    "spark.sql.shuffle.partitions": String(2 * (processes.length - 1) * Number(cores)),
    "spark.connect.grpc.binding.address": HOST,
    "spark.connect.grpc.binding.port": String(port),
  };
  const server = begin(cluster, "server", "spark-submit", [
    ...flags({
      class: "org.apache.spark.sql.connect.service.SparkConnectServer",
      name: "Spark Connect",
      master: `spark://${HOST}:${master}`,
      "driver-memory": "1g",
    }),
    ...Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
    ...values.conf.flatMap((pair) => ["--conf", pair]),
    ...connectJar(cluster.spark),
  ]);
  await until(server, "answers", () => pings(port));
}

function begin(cluster, name, command, args) {
  const log = openSync(join(folder, "logs", `${name}.log`), "a");
  const child = spawn(join(cluster.spark, "bin", command), args, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      SPARK_HOME: cluster.spark,
      JAVA_HOME: cluster.java,
      SPARK_LOCAL_IP: HOST,
      SPARK_LOCAL_DIRS: join(folder, "tmp"),
      SPARK_DAEMON_MEMORY: "512m",
      SPARK_DAEMON_JAVA_OPTS: "-XX:+UseSerialGC",
      // Not as an option, which every user of the machine could read.
      ...(cluster.token !== undefined && { SPARK_CONNECT_AUTHENTICATE_TOKEN: cluster.token }),
    },
  });
  closeSync(log);
  child.unref();
  cluster.processes.push({ name, pid: child.pid });
  writeFileSync(record, JSON.stringify(cluster, null, 2), { mode: 0o600 });
  let ended = false;
  child.on("exit", () => (ended = true));
  return { name, ended: () => ended };
}

function flags(named) {
  return Object.entries(named).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

async function status() {
  const alive = running();
  if (alive.length === 0) return console.log("not running");
  const cluster = readRecord();
  for (const { name, pid } of alive) console.log(`${name}: process ${pid}`);
  const workers = (await masterState(cluster.web))?.aliveworkers ?? 0;
  console.log(
    `${workers} workers registered; server ${(await pings(cluster.port)) ? remoteOf(cluster) : "silent"}`,
  );
}

/** For eval in a shell. */
function env() {
  if (running().length === 0) fail("not running");
  console.log(`export KINDRED_SPARK_REMOTE='${remoteOf(readRecord())}'`);
  console.log(`export KINDRED_SPARK_CLUSTER='${record}'`);
}

async function stop() {
  // The server first, so that it releases its executors.
  for (const { name, pid } of running().reverse()) {
    process.kill(pid, "SIGTERM");
    for (let i = 0; i < 100 && isSpark(pid); i++) await sleep(100);
    if (isSpark(pid)) process.kill(pid, "SIGKILL");
    console.log(`${name} stopped`);
  }
  rmSync(record, { force: true });
}

function remoteOf({ host, port, token }) {
  return `sc://${host}:${port}${token === undefined ? "" : `/;token=${encodeURIComponent(token)}`}`;
}

function readRecord() {
  return existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : undefined;
}

function running() {
  return (readRecord()?.processes ?? []).filter(({ pid }) => isSpark(pid));
}

/** Whether the process is still the one that was started: its number may have been reused. */
function isSpark(pid) {
  // Without a command line it has ended, and only its parent has not noticed yet.
  return /spark/i.test(commandOf(pid));
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    if (existsSync("/proc/self")) return "";
    return spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
  }
}

function findJava() {
  const program = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, "bin", "java") : "java";
  const { stderr, status } = spawnSync(program, ["-XshowSettings:properties", "-version"], {
    encoding: "utf8",
  });
  const advice = "Spark needs Java 17 or newer: install it (Debian: apt-get install openjdk-17-jre-headless)";
  if (status !== 0) fail(`no Java found. ${advice} or set JAVA_HOME`);
  const version = Number(/java\.specification\.version = (?:1\.)?(\d+)/.exec(stderr)?.[1]);
  if (!(version >= 17)) fail(`Java ${version} is too old. ${advice}`);
  return /java\.home = (.*)/.exec(stderr)[1].trim();
}

/** What brings the Connect server where Spark does not have it. */
function connectJar(home) {
  if (hasConnect(home)) return [];
  const jar = process.env.SPARK_CONNECT_JAR;
  if (jar) return ["--jars", jar, "--driver-class-path", jar];
  return ["--packages", `org.apache.spark:spark-connect_2.12:${PYSPARK}`];
}

function sparkHome() {
  const given = process.env.SPARK_HOME;
  if (given) {
    if (!hasConnect(given)) fail(`SPARK_HOME=${given} has no jars/spark-connect_*.jar; Spark 4 brings it`);
    return given;
  }
  const venv = join(folder, PYSPARK !== "4.0.1" ? `venv-${PYSPARK}` : "venv");
  const installed = pysparkIn(venv);
  if (installed !== undefined) return installed;
  mkdirSync(folder, { recursive: true });
  console.log(`installing PySpark ${PYSPARK} into ${venv}`);
  try {
    execFileSync("python3", ["-m", "venv", venv], { stdio: "inherit" });
    execFileSync(
      join(venv, "bin", "pip"),
      ["install", "--quiet", "--disable-pip-version-check", `pyspark==${PYSPARK}`],
      { stdio: "inherit" },
    );
  } catch (error) {
    fail(`PySpark could not be installed (${error.message}); python3 with venv is needed, or set SPARK_HOME`);
  }
  return pysparkIn(venv) ?? fail(`PySpark ${PYSPARK} is not in ${venv}`);
}

function pysparkIn(venv) {
  const lib = join(venv, "lib");
  const versions = existsSync(lib) ? readdirSync(lib) : [];
  const found = versions.map((python) => join(lib, python, "site-packages", "pyspark"));
  return found.find(isOld() ? (home) => existsSync(join(home, "jars")) : hasConnect);
}

/** Spark before 4, whose Connect server is a package of its own. */
function isOld() {
  return Number.parseInt(PYSPARK, 10) < 4;
}

function hasConnect(home) {
  const jars = join(home, "jars");
  return existsSync(jars) && readdirSync(jars).some((name) => /^spark-connect_.*\.jar$/.test(name));
}

/** The requested port, or the usual one, or the first free one after it. */
async function connectPort() {
  if (values.port !== undefined) {
    const port = Number(values.port);
    if (!(await isFree(port))) fail(`port ${port} is taken`);
    return port;
  }
  for (let port = 15002; port < 15102; port++) if (await isFree(port)) return port;
  return (await freePorts(1))[0];
}

function isFree(port) {
  return listening(port).then(
    (server) => new Promise((resolve) => server.close(() => resolve(true))),
    () => false,
  );
}

/** All are held open at once, so they differ. */
async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, () => listening(0)));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listening(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, HOST, () => resolve(server));
  });
}

async function masterState(port) {
  try {
    const response = await fetch(`http://${HOST}:${port}/json/`);
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an HTTP/2 server listens there, as gRPC needs. */
function pings(port) {
  return new Promise((resolve) => {
    const session = http2.connect(`http://${HOST}:${port}`);
    const done = (answer) => {
      resolve(answer);
      session.destroy();
    };
    session.once("error", () => done(false));
    session.once("connect", () => session.ping((error) => done(error === null)));
    session.setTimeout(5000, () => done(false));
  });
}

async function until({ name, ended }, what, holds) {
  for (let i = 0; i < 600; i++) {
    if (await holds()) return;
    if (ended()) break;
    await sleep(200);
  }
  const log = readFileSync(join(folder, "logs", `${name}.log`), "utf8");
  throw new Error(
    `${name} ${ended() ? "ended" : `never ${what}`}; the end of its log:\n${log.split("\n").slice(-15).join("\n")}`,
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
