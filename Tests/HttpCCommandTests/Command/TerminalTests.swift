import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Output that appears on a terminal only.
@Suite(.landscape, .timeLimit(.minutes(1))) struct TerminalTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func onTerminal(_ line: String, environment: [String: String] = [:]) async throws -> String {
        try await RunningCommand(
            onTerminal: "\(BuiltProduct.httpc) \(line)", in: sandbox, environment: environment
        ).outcome().text
    }

    /// A transfer that takes long enough for a bar, which is at 75 % for a while.
    private static let slowly = WireScript([
        .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf".utf8)), .pause(.milliseconds(2500)),
        .bytes(Array("ha".utf8)), .pause(.milliseconds(500)), .bytes(Array("lf".utf8)),
    ])

    @Test func slowTransferHasAProgressBar() async throws {
        landscape.raw.respond(path: "/slow", script: Self.slowly)
        let url = landscape.urlString(.raw, "/slow")
        let shown = try await onTerminal("-o file \(url)")
        #expect(shown.contains("75%"), "\(shown)")
        #expect(sandbox.read("file") == Data("halfhalf".utf8))
        let silent = try await onTerminal("-s -o file \(url)")
        #expect(silent.isEmpty, "\(silent)")
    }

    /// A bar begins below the text that standard output has on the same terminal, and leaves it unchanged.
    @Test func aBarAndTextShareATerminal() async throws {
        landscape.raw.respond(path: "/slow", script: Self.slowly)
        let written = try await onTerminal(
            "-o file -w '%{http_code}' \(landscape.urlString(.raw, "/slow"))")
        #expect(written.contains("75%") && written.contains("\u{1B}[J200\r\n"), "\(written)")
        #expect(written.hasSuffix("/s\r\n") && written.contains("file  8 B in"), "\(written)")

        // An answer comes while there is a bar for the upload.
        try sandbox.write(String(repeating: "b", count: 30 << 10), to: "body")
        let uploaded = try await onTerminal(
            "--limit-rate 10K -o - -T body \(landscape.urlString(.main, "/echo"))")
        #expect(uploaded.contains("\u{1B}[J{\""), "\(uploaded)")
        let end = uploaded.split(separator: "\r\n").suffix(2)
        #expect(end.first?.hasSuffix("}") == true && end.last?.hasSuffix("/s") == true, "\(uploaded)")
    }

    /// Security rule S23: the hint is shown once, and only on a terminal.
    @Test func passwordHintIsShownOnce() async throws {
        let url = landscape.urlString(.main, "/json")
        let piped = try await sandbox.httpc("-u", "alice:wonderland", url)
        #expect(piped.errors.isEmpty)
        let first = try await onTerminal("-u alice:wonderland \(url)")
        #expect(first.contains("password-env"), "\(first)")
        let second = try await onTerminal("-u alice:wonderland \(url)")
        #expect(!second.contains("password-env"), "\(second)")
    }

    @Test func coloursAreForTerminalsWithoutObjection() async throws {
        let line = "-vv -o /dev/null \(landscape.urlString(.main, "/json"))"
        let coloured = try await onTerminal(line)
        #expect(coloured.contains("\u{1B}[36m> GET"))
        let plain = try await onTerminal(line, environment: ["NO_COLOR": "1"])
        #expect(plain.contains("> GET"))
        #expect(!plain.contains("\u{1B}[36m"))
    }

    /// JSON is laid out on a terminal alone, unless the user wants it unchanged.
    @Test func jsonIsLaidOut() async throws {
        let body = "{\"b\":1.0,\"a\":[\"\u{7f}\u{9b}31m\u{202e}\"]}"
        landscape.raw.respond(
            path: "/json",
            text: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body)
        let url = landscape.urlString(.raw, "/json")
        let laidOut = try await onTerminal("\(url); \(BuiltProduct.httpc) --no-color -i \(url)")
            .replacing("\r\n", with: "\n")
        #expect(laidOut.contains("\u{1B}[34m\"b\"\u{1B}[0m: \u{1B}[36m1.0\u{1B}[0m,"), "\(laidOut)")
        let plain = "{\n  \"b\": 1.0,\n  \"a\": [\n    \"\\u007f\\u009b31m\\u202e\"\n  ]\n}\n"
        #expect(laidOut.hasSuffix(plain) && laidOut.contains("Content-Type: application/json"))
        #expect(!laidOut.unicodeScalars.contains { [0x7F, 0x9B, 0x202E].contains($0.value) })
        let asIs = try await onTerminal(
            "--no-pretty \(url); \(BuiltProduct.httpc) -o - \(url); \(BuiltProduct.httpc) -N \(url)")
        #expect(asIs == body + body + body)
        let piped = try await sandbox.httpc("-o", "file", url, url)
        #expect(piped.text == body)
        #expect(sandbox.read("file") == Data(body.utf8))
    }

    @Test func binaryAnswersStayOffTheTerminal() async throws {
        landscape.raw.respond(
            path: "/binary", text: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nab\u{0}\u{1B}cd")
        let url = landscape.urlString(.raw, "/binary")
        let refused = try await onTerminal("\(url); echo ended with $?")
        #expect(refused.contains("ended with 23") && refused.contains("--output -"), "\(refused)")
        #expect(!refused.contains("\u{0}"))
        #expect(try await onTerminal("-o - \(url)") == "ab\u{0}\u{1B}cd")
        #expect(try await sandbox.httpc(url).output.count == 6)
    }
}
