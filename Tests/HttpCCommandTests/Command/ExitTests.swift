import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Exit statuses over real sockets.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ExitTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    /// A command line, and its expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int32
        /// A part of standard error.
        let message: String
        let arguments: @Sendable (Landscape, Sandbox) throws -> [String]
        var testDescription: String { "\(name) → \(status)" }

        init(
            _ name: String, _ status: Int32, _ message: String = "",
            _ arguments: @escaping @Sendable (Landscape, Sandbox) throws -> [String]
        ) {
            self.name = name
            self.status = status
            self.message = message
            self.arguments = arguments
        }
    }

    static let cases: [Case] = [
        Case("success", 0) { l, _ in [l.urlString(.main, "/json")] },
        Case("404 without -f", 0) { l, _ in [l.urlString(.main, "/status/404")] },
        Case("404 with -f", 22, "404") { l, _ in ["-f", l.urlString(.main, "/status/404")] },
        Case("no arguments", 2, "Usage") { _, _ in [] },
        Case("unknown option", 2, "Unknown option --nosuch.") { l, _ in ["--nosuch", l.urlString()] },
        Case("an option of curl's", 2, "Use --http2") { l, _ in ["--http3", l.urlString()] },
        Case("header with a line break", 2, "control character") { l, _ in ["-H", "A: b\r\nC: d", l.urlString()] },
        Case("Host that is none", 2, "Host") { l, _ in ["-H", "Host: a/b", l.urlString()] },
        Case("method that is none", 2, "method") { l, _ in ["-X", "G T", l.urlString()] },
        Case("-T and -d", 2, "-T and -d") { l, _ in ["-T", "-", "-d", "x", l.urlString()] },
        Case("unsupported scheme", 1, "ftp") { _, _ in ["ftp://127.0.0.1/"] },
        Case("redirect to file:", 1, "file") { l, _ in [l.urlString(.main, "/redirect/file")] },
        Case("redirect to ftp:", 1, "ftp") { l, _ in [l.urlString(.main, "/redirect/ftp")] },
        Case("https to http", 1, "in the clear") { l, s in
            ["--cacert", try s.authority(of: l), l.urlString(.secure, "/redirect/to/main")]
        },
        Case("invalid URL", 3, "host") { _, _ in ["http://[::x/"] },
        Case("garbage Location", 3, "redirects") { l, _ in [l.urlString(.main, "/redirect/garbage")] },
        Case("several Locations", 3, "Location") { l, _ in [l.urlString(.main, "/redirect/several-locations")] },
        Case("userinfo in Location", 3, "user name") { l, _ in [l.urlString(.main, "/redirect/userinfo")] },
        Case("unknown host", 6, "nowhere.invalid") { _, _ in ["http://nowhere.invalid/"] },
        Case("nobody listens", 7, "127.0.0.1") { _, _ in ["http://127.0.0.1:1/"] },
        Case("garbage", 8) { l, _ in [l.urlString(.main, "/fault/garbage")] },
        Case("cut body", 18) { l, _ in [l.urlString(.main, "/fault/cut-mid-body")] },
        Case("cut chunks", 18) { l, _ in [l.urlString(.main, "/fault/cut-mid-chunks")] },
        Case("output directory missing", 23, "Cannot") { l, s in ["-o", s.path("no/file"), l.urlString(.main, "/json")]
        },
        Case("full device", 23, "No space") { l, _ in ["-o", "/dev/full", l.urlString(.main, "/bytes/100000")] },
        Case("-d @missing", 26, "Nothing was sent") { l, s in
            ["-d", "@\(s.path("missing"))", l.urlString(.main, "/upload")]
        },
        Case("-T missing", 26, "Nothing was sent") { l, s in ["-T", s.path("missing"), l.urlString(.main, "/upload")] },
        Case("-T directory", 26, "directory") { l, s in ["-T", s.path(""), l.urlString(.main, "/upload")] },
        Case("max-time", 28, "--max-time") { l, _ in ["--max-time", "0.3", l.urlString(.main, "/ticks?every=10")] },
        Case("TLS to a plain port", 35) { l, _ in ["https://127.0.0.1:\(l.port(.main))/"] },
        Case("redirect loop", 47, "redirects") { l, _ in [l.urlString(.main, "/redirect/loop")] },
        Case("max-redirs", 47) { l, _ in ["--max-redirs", "2", l.urlString(.main, "/redirect/chain/3")] },
        Case("empty answer", 52) { l, _ in [l.urlString(.main, "/fault/cut-before-head")] },
        Case("untrusted certificate", 60, "certificate") { l, _ in [l.urlString(.secure, "/json")] },
        Case("expired certificate", 60, "certificate") { l, s in
            ["--cacert", try s.authority(of: l), l.urlString(.expired, "/json")]
        },
        Case("wrong name", 60, "certificate") { l, s in
            ["--cacert", try s.authority(of: l), l.urlString(.wrongName, "/json")]
        },
        Case("trusted certificate", 0) { l, s in ["--cacert", try s.authority(of: l), l.urlString(.secure, "/json")] },
        Case("unchecked certificate", 0, "-k") { l, _ in ["-k", l.urlString(.expired, "/json")] },
        Case("CA file missing", 77, "missing") { l, s in ["--cacert", s.path("missing"), l.urlString(.secure, "/json")]
        },
        Case("CA file is no PEM", 77) { l, s in
            ["--cacert", try s.write("nonsense", to: "bad.pem"), l.urlString(.secure, "/json")]
        },
        Case("head too large", 63) { l, _ in [l.urlString(.main, "/fault/oversized-head")] },
        Case("body larger than --max-filesize", 63, "1000 bytes") { l, _ in
            ["--max-filesize", "1000", l.urlString(.main, "/bytes/1001")]
        },
        Case("body as large as --max-filesize", 0) { l, _ in
            ["--max-filesize", "1000", l.urlString(.main, "/bytes/1000")]
        },
        Case("--max-filesize that is no size", 2, "--max-filesize") { l, _ in
            ["--max-filesize", "1X", l.urlString(.main, "/bytes/1000")]
        },
        Case("redirect not followed", 0) { l, _ in ["--no-location", l.urlString(.main, "/redirect/loop")] },
    ]

    @Test(arguments: cases) func endsWith(_ example: Case) async throws {
        let outcome = try await sandbox.httpc(try example.arguments(landscape, sandbox))
        #expect(outcome.status == example.status, "\(outcome.errors)")
        if !example.message.isEmpty { #expect(outcome.errors.contains(example.message), "\(outcome.errors)") }
        if example.status != 0 { #expect(!outcome.errors.isEmpty) }
    }

    @Test func missingFileSendsNothing() async throws {
        _ = try await sandbox.httpc("-d", "@missing", landscape.urlString(.main, "/upload"))
        #expect(landscape.count(path: "/upload") == 0)
        _ = try await sandbox.httpc("-d", "x", landscape.urlString(.main, "/upload"))
        #expect(landscape.count(path: "/upload") == 1)
    }

    @Test(arguments: [(SIGHUP, 129), (SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func signalsEndIt(number: Int32, status: Int32) async throws {
        let gate = landscape.hold("/json")
        let command = try RunningCommand(["-o", "file", landscape.urlString(.main, "/json")], in: sandbox)
        try await gate.waitForWaiters(1)
        command.signal(number)
        #expect(await command.outcome().status == status)
        #expect(!sandbox.names.contains { $0.hasPrefix("file") })
        gate.release()
    }

    /// Signals that the parent process ignores stay ignored, as under `nohup` or in a script's background job.
    @Test(arguments: [("HUP", SIGHUP), ("INT", SIGINT)] as [(String, Int32)])
    func ignoredSignalsDoNot(name: String, number: Int32) async throws {
        let gate = landscape.hold("/json")
        let command = try RunningCommand(
            ["-c", "trap '' \(name); exec \"$@\"", "sh", BuiltProduct.httpc, landscape.urlString(.main, "/json")],
            in: sandbox, program: "/bin/sh")
        try await gate.waitForWaiters(1)
        command.signal(number)
        gate.release()
        let outcome = await command.outcome()
        #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome.errors)")
    }
}
