import { describe, expect, it } from "vitest";
import { parseRemote } from "../../../src/engine/spark/remote.ts";

describe("parseRemote", () => {
  it("knows the documented form", () => {
    expect(parseRemote("sc://localhost")).toEqual({
      host: "localhost",
      port: 15002,
      tls: false,
      token: undefined,
      userId: "kindred",
      userAgent: "kindred",
      sessionId: undefined,
      maxMessageSize: 2 ** 30,
      metadata: {},
    });
    const session = "00112233-4455-6677-8899-aabbccddeeff";
    expect(
      parseRemote(
        `sc://spark.example.org:443/;use_ssl=true;token=a%3Bb;user_id=ann;user_agent=report;session_id=${session};` +
          "grpc_max_message_size=1000;X-Team=blue",
      ),
    ).toEqual({
      host: "spark.example.org",
      port: 443,
      tls: true,
      token: "a;b",
      userId: "ann",
      userAgent: "report",
      sessionId: session,
      maxMessageSize: 1000,
      metadata: { "x-team": "blue" },
    });
    expect(parseRemote("sc://[::1]:15002/")).toMatchObject({ host: "::1", port: 15002 });
  });

  it("sends a token through an open line only on this machine, or when told to", () => {
    const tls = (text: string): boolean => parseRemote(text).tls;
    expect(tls("sc://spark.example.org/;token=t")).toBe(true);
    expect(tls("sc://spark.example.org/;token=t;use_ssl=false")).toBe(false);
    expect(tls("sc://spark.example.org")).toBe(false);
    expect(tls("sc://127.0.0.1/;token=t")).toBe(false);
    expect(tls("sc://localhost/;token=t;use_ssl=true")).toBe(true);
    expect(tls("sc://[::1]/;token=t")).toBe(false);
  });

  it.each([
    ["spark://host:7077", "must be like sc://host:15002/;token=..."],
    ["sc://", "must be like"],
    ["sc://:15002", "must be like"],
    ["sc://host:a", "the port in the connection string must be a number from 1 to 65535"],
    ["sc://host:70000", "must be a number from 1 to 65535"],
    ["sc://host:", "must be a number from 1 to 65535"],
    ["sc://host/path", "has no path"],
    ["sc://host;token=x", "must be like"],
    ["sc://host/;token", "the parameter number 1 must be like name=value"],
    ["sc://host/;token=", "the parameter token is empty"],
    ["sc://host/;token=a;token=b", "the parameter token is given twice"],
    ["sc://host/;token=%zz", "the parameter token is not percent-encoded"],
    ["sc://host/;use_ssl=yes", "the parameter use_ssl must be true or false"],
    ["sc://host/;session_id=1", "the parameter session_id must be a UUID"],
    ["sc://host/;grpc_max_message_size=0", "the parameter grpc_max_message_size must be a number of bytes"],
    [
      "sc://host/;grpc-timeout=1",
      "number 1 among those without a meaning of their own cannot be sent as metadata",
    ],
    ["sc://host/;a%20b=1", "cannot be sent as metadata"],
    ["sc://host/;x=%0a", "must be plain ASCII text"],
    [`sc://host/;user_agent=${"a".repeat(2049)}`, "user_agent has more than 2048 characters"],
  ])("refuses %s", (text, words) => {
    expect(() => parseRemote(text)).toThrow(words);
  });

  it.each([
    "spark://host/;token=SECRET",
    "sc://host:1;token=SECRET",
    "sc://host:SECRET/",
    "sc://SECRET@host/",
    "sc://host/SECRET",
    "sc://host/;SECRET",
    "sc://host/;SECRET=",
    "sc://host/;SECRET=%zz",
    "sc://host/;SECRET=a;SECRET=b",
    "sc://host/;use_ssl=SECRET",
    "sc://host/;session_id=SECRET",
    "sc://host/;grpc_max_message_size=SECRET",
    "sc://host/;token=SECRET;token=SECRET",
    "sc://host/;grpc-SECRET=1",
    "sc://host:99999/;token=SECRET",
    "SECRET",
  ])("does not show what may be a token: %s", (text) => {
    expect(() => parseRemote(text)).toThrow(/^(?!.*SECRET)/);
  });
});
