import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Standard output, standard error and files.
@Suite(.landscape, .timeLimit(.minutes(1))) struct OutputTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    @Test func bodyGoesToStandardOutputAloneEvenWithVerbose() async throws {
        let plain = try await sandbox.httpc(landscape.urlString(.main, "/bytes/300000"))
        #expect(plain.output.count == 300_000)
        #expect(plain.errors.isEmpty)
        let verbose = try await sandbox.httpc("-vv", landscape.urlString(.main, "/bytes/300000"))
        #expect(verbose.output == plain.output)
        #expect(verbose.errors.contains("> GET /bytes/300000"))
        #expect(verbose.errors.contains("< HTTP/1.1 200"))
    }

    @Test func includePrintsTheHead() async throws {
        let url = landscape.urlString(.main, "/status/418?body=tea")
        let outcome = try await sandbox.httpc("-i", url)
        #expect(outcome.text.hasPrefix("HTTP/1.1 418"))
        #expect(outcome.text.contains("\r\n\r\n"))
        #expect(outcome.text.hasSuffix("tea") || outcome.text.hasSuffix("tea\n"))
        let file = try await sandbox.httpc("-i", "-o", "file", url)
        #expect(file.output.isEmpty)
        #expect(sandbox.read("file").map { String(decoding: $0, as: UTF8.self).hasPrefix("HTTP/1.1 418") } == true)
    }

    @Test func headAsksForTheHeadOnly() async throws {
        let outcome = try await sandbox.httpc("-I", landscape.urlString(.main, "/head-only/5000"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.lowercased().contains("content-length: 5000"))
    }

    @Test func failedRequestPrintsNoBody() async throws {
        let url = landscape.urlString(.main, "/status/500?body=oops")
        let answer1 = try await sandbox.httpc(url)
        #expect(answer1.text.contains("oops"))
        let answer2 = try await sandbox.httpc("-f", url)
        #expect(answer2.output.isEmpty)
        let answer3 = try await sandbox.httpc("-f", "-s", url)
        #expect(answer3.errors.isEmpty)
        let answer4 = try await sandbox.httpc("-fsS", url)
        #expect(answer4.errors.contains("500"))
    }

    @Test func downloadIsCompleteAndKeepsTheMode() async throws {
        try sandbox.write("old", to: "file", mode: 0o640)
        let outcome = try await sandbox.httpc("-o", "file", landscape.urlString(.main, "/stream/200000"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(sandbox.read("file")?.count == 200_000)
        #expect(sandbox.mode("file") == 0o640)
    }

    @Test(arguments: ["cut-mid-body", "cut-mid-chunks"]) func cutDownloadLeavesTheOldFile(fault: String) async throws {
        try sandbox.write("old", to: "file")
        let outcome = try await sandbox.httpc("-o", "file", landscape.urlString(.main, "/fault/\(fault)"))
        #expect(outcome.status == 18)
        #expect(sandbox.read("file") == Data("old".utf8))
        let fresh = try await sandbox.httpc("-o", "fresh", landscape.urlString(.main, "/fault/\(fault)"))
        #expect(fresh.status == 18)
        #expect(!sandbox.names.contains { $0.hasPrefix("fresh") || $0.hasPrefix("file.") })
    }

    /// Bodies with a length, in chunks, and compressed. A limit that is large enough changes nothing.
    @Test(arguments: ["/bytes/300000", "/stream/300000", "/gzip?n=300000"])
    func maximumFileSize(path: String) async throws {
        try sandbox.write("old", to: "file")
        let url = landscape.urlString(.main, path)
        let refused = try await sandbox.httpc("--max-filesize", "200K", url)
        #expect(refused.status == 63, "\(refused.errors)")
        #expect(refused.output.count <= 200 << 10)
        #expect(refused.errors.contains("204800 bytes"))
        let file = try await sandbox.httpc("--max-filesize", "200k", "-o", "file", url)
        #expect(file.status == 63)
        #expect(sandbox.read("file") == Data("old".utf8))
        let fresh = try await sandbox.httpc("--max-filesize", "200k", "-o", "fresh", url)
        #expect(fresh.status == 63)
        #expect(!sandbox.names.contains { $0.hasPrefix("fresh") || $0.hasPrefix("file.") })
        for enough in ["1M", "0"] {
            let allowed = try await sandbox.httpc("--max-filesize", enough, url)
            #expect(allowed.status == 0, "\(allowed.errors)")
            #expect(allowed.output.count == 300_000)
        }
    }

    @Test func brokenPipeIsOutputFailed() async throws {
        let pipe = Pipe()
        let command = try RunningCommand(
            [landscape.urlString(.main, "/bytes/10000000")], in: sandbox, outputPipe: pipe)
        _ = try pipe.fileHandleForReading.read(upToCount: 10)
        try pipe.fileHandleForReading.close()
        let outcome = await command.outcome()
        #expect(outcome.status == 23, "\(outcome.errors)")
        #expect(outcome.errors.contains("Broken pipe"))
    }

    /// A shell writes to the same files, before and after the command.
    @Test func filesBehindStandardStreamsAreNotReplaced() async throws {
        let line =
            "{ echo start; \"$0\" -s -D /dev/stdout -o /dev/stdout --har /dev/stderr \"$1\"; echo end; } >>log 2>>errors"
        try sandbox.write("before\n", to: "errors")
        let url = landscape.urlString(.main, "/status/200?body=tea")
        let outcome = try await RunningCommand(["-c", line, BuiltProduct.httpc, url], in: sandbox, program: "/bin/sh")
            .outcome()
        #expect(outcome.status == 0)
        let log = String(decoding: sandbox.read("log") ?? Data(), as: UTF8.self)
        #expect(log.hasPrefix("start\nHTTP/1.1 200"), "\(log)")
        #expect(log.contains("\r\n\r\ntea"), "\(log)")
        #expect(log.hasSuffix("end\n"), "\(log)")
        let errors = String(decoding: sandbox.read("errors") ?? Data(), as: UTF8.self)
        #expect(errors.hasPrefix("before\n{"), "\(errors)")
    }

    @Test func fullDeviceAsStandardOutputIsOutputFailed() async throws {
        let command = try RunningCommand(
            [landscape.urlString(.main, "/bytes/100000")], in: sandbox, outputPath: "/dev/full")
        #expect(await command.outcome().status == 23)
    }

    /// A script would read an empty text as the result.
    @Test func aTextOfWriteOutThatIsLostIsOutputFailed() async throws {
        let arguments = ["-o", sandbox.path("body"), "-w", "%{http_code}"]
        let command = try RunningCommand(
            arguments + [landscape.urlString(.main, "/bytes/3")], in: sandbox, outputPath: "/dev/full")
        let outcome = await command.outcome()
        #expect(outcome.status == 23 && outcome.errors.contains("standard output"), "\(outcome.errors)")
        #expect(sandbox.read("body")?.count == 3)
        let refused = try RunningCommand(
            ["-f"] + arguments + [landscape.urlString(.main, "/status/404")], in: sandbox, outputPath: "/dev/full")
        #expect(await refused.outcome().status == 22)
    }

    /// Nothing else takes the number of a standard stream that is closed.
    @Test(arguments: [(">&-", "-s", 23), ("<&-", "-d@-", 26)] as [(String, String, Int32)])
    func closedStreams(redirection: String, option: String, status: Int32) async throws {
        let line = "\"$0\" -sS \(option) \"$1\" \(redirection)"
        let outcome = try await RunningCommand(
            ["-c", line, BuiltProduct.httpc, landscape.urlString(.main, "/json")], in: sandbox, program: "/bin/sh"
        ).outcome()
        #expect(outcome.status == status && outcome.errors.contains("Bad file descriptor"), "\(outcome.errors)")
    }

    @Test func closedStandardError() async throws {
        let url = landscape.urlString(.main, "/bytes/300000")
        let outcome = try await RunningCommand(
            ["-c", "\"$0\" -vv \"$1\" 2>&-", BuiltProduct.httpc, url], in: sandbox, program: "/bin/sh"
        ).outcome()
        #expect(outcome.status == 0 && outcome.output.count == 300_000)
    }

    @Test func compressionIsUndone() async throws {
        let outcome = try await sandbox.httpc(landscape.urlString(.main, "/gzip?n=5000"))
        #expect(outcome.output.count == 5000)
        let raw = try await sandbox.httpc("--no-compressed", landscape.urlString(.main, "/gzip?n=5000"))
        #expect(raw.output.prefix(2) == Data([0x1F, 0x8B]) || raw.output.count == 5000)
    }

    @Test func writeOutKnowsItsNames() async throws {
        let outcome = try await sandbox.httpc(
            "-o", "/dev/null", "-w", "%{http_code} %{size_download}\\n", landscape.urlString(.main, "/bytes/1234"))
        #expect(outcome.text == "200 1234\n")
    }

    /// Security rule S21: no text of a peer can act on the terminal.
    @Test(arguments: [
        ["-vv", "/basic/escapes/page"], ["-vv", "-i", "/fault/escapes-in-reason"], ["-f", "/fault/escapes-in-reason"],
        ["/basic/escapes/page"], ["-v", "/basic/escapes/page"], ["-vv", "/redirect/garbage-control"],
        ["-v", "/challenge?line=Basic%20realm=%22%C2%9B%22"],
    ])
    func escapesAreShownNotObeyed(arguments: [String]) async throws {
        let url = landscape.urlString(.main, arguments.last ?? "")
        let outcome = try await sandbox.httpc(arguments.dropLast() + ["-o", "/dev/null", url])
        #expect(landscape.requests().count >= 1)
        #expect(
            !outcome.errors.unicodeScalars.contains { [0x07, 0x1B, 0x9B].contains($0.value) }, "\(outcome.errors)")
    }
}
