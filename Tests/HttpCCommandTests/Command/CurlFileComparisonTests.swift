import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Bodies go to the same files as curl's: each line is run by both, in separate directories, against one server.
@Suite(.landscape, .timeLimit(.minutes(1))) struct CurlFileComparisonTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    static let old = "old"

    /// Files, exit status and standard output are compared.
    @Test(arguments: [
        // -C with a number
        ["-C", "90", "BASE/rest"], ["-C", "90", "-o", "old", "BASE/rest"], ["-C", "90", "-o", "new", "BASE/rest"],
        ["-C90", "-O", "BASE/rest"], ["--continue-at", "90", "-o", "old", "-o", "new", "BASE/rest", "BASE/rest"],
        ["-C", "0", "-o", "old", "BASE/whole"], ["-C", "90", "-o", "old", "BASE/whole"],
        ["-C", "100", "-o", "old", "BASE/whole"], ["-C", "91", "-o", "old", "BASE/rest"],
        ["-C", "200", "-o", "old", "BASE/beyond"], ["-f", "-C", "200", "-o", "old", "BASE/beyond"],
        ["-C", "90", "-o", "old", "BASE/unnamed"], ["-C", "90", "-o", "old", "BASE/missing"],
        ["-f", "-C", "90", "-o", "old", "BASE/missing"], ["-L", "-C", "90", "-o", "old", "BASE/moved"],
        ["-C", "90", "-o", "old", "BASE/cut"], ["-C", "90", "-o", "/dev/null", "BASE/rest"],
        ["-C", "90", "-o", "none/old", "BASE/rest"], ["-C", "90", "-w", "%{size_download}", "-o", "new", "BASE/rest"],
        ["-C", "", "BASE/rest"], ["-C", "x", "BASE/rest"], ["-C", "-5", "BASE/rest"], ["-C", "9k", "BASE/rest"],
        // -C - with an empty file
        ["-C", "-", "-o", "empty", "BASE/whole"],
        // Names of packed files
        ["-O", "BASE/coded.tgz"], ["BASE/coded.tgz"], ["-o", "new.tar.GZ", "BASE/coded"],
        ["-o", "new.bz2", "BASE/strange"],
        // More names than URLs
        ["-o", "a", "-o", "b", "BASE/whole"], ["-O", "-O", "BASE/whole"], ["-o", "-", "-o", "b", "BASE/whole"],
        ["-o", "a", "-o", "-", "BASE/whole"], ["-o", "a", "-o", "b", "-o", "c", "BASE/whole", "BASE/named"],
        // The server's name
        ["-J", "-o", "a", "BASE/named"], ["-J", "-o", "old", "BASE/named"], ["-J", "-o", "-", "BASE/named"],
        ["-J", "BASE/named"], ["-J", "-O", "BASE/named"], ["-J", "-o", "a", "-o", "b", "BASE/named"],
        ["-J", "-o", "a", "--remote-name-all", "BASE/named", "BASE/whole"],
    ])
    func files(arguments: [String]) async throws {
        Self.install(landscape)
        let arguments =
            ["-s"]
            + arguments.map {
                $0.replacingOccurrences(of: "BASE", with: landscape.urlString(.raw, ""))
            }
        let (theirs, ours) = (try Sandbox(), try Sandbox())
        for sandbox in [theirs, ours] {
            try sandbox.write(Self.old, to: "old")
            try sandbox.write("", to: "empty")
        }
        let expected = try await RunningCommand(arguments, in: theirs, program: "/usr/bin/curl").outcome()
        let outcome = try await ours.httpc(arguments)
        #expect(outcome.status == expected.status, "\(outcome.errors)")
        #expect(outcome.text == expected.text)
        #expect(Self.contents(of: ours) == Self.contents(of: theirs))
        if outcome.status == 0 {
            #expect(
                landscape.requests().count.isMultiple(of: 2) && !landscape.requests().isEmpty,
                "both have asked")
        }
    }

    /// Both request the same bytes, and thus no content coding.
    @Test func whatIsAskedFor() async throws {
        Self.install(landscape)
        let arguments = ["-s", "-C", "90", landscape.urlString(.raw, "/rest")]
        _ = try await RunningCommand(arguments, in: sandbox, program: "/usr/bin/curl").outcome()
        _ = try await sandbox.httpc(arguments)
        let asked = landscape.requests(path: "/rest")
        #expect(asked.map { $0.values(of: "Range") } == [["bytes=90-"], ["bytes=90-"]])
        #expect(asked.last?.values(of: "Accept-Encoding") == ["identity"])
    }

    /// A packed file is not asked for in another coding. --compressed unpacks it all the same.
    @Test func packedFilesAreNotPackedAgain() async throws {
        Self.install(landscape)
        let line = ["-o", "new.gz", landscape.urlString(.raw, "/coded")]
        #expect(try await sandbox.httpc(line).status == 0)
        #expect(try await sandbox.httpc(["--compressed"] + line).status == 61)
        #expect(try await sandbox.httpc("-o", "new", landscape.urlString(.raw, "/coded")).status == 61)
        let asked = landscape.requests(path: "/coded").map { $0.values(of: "Accept-Encoding").isEmpty }
        #expect(asked == [true, false, false])
    }

    /// The command reports cases that curl passes over silently.
    @Test func whatIsSaid() async throws {
        Self.install(landscape)
        func says(_ arguments: [String], _ text: String, status: Int32 = 0) async throws {
            try sandbox.write(Self.old, to: "old")
            let line = arguments.map { $0.replacing("BASE", with: landscape.urlString(.raw, "")) }
            let outcome = try await sandbox.httpc(line)
            #expect(outcome.status == status && outcome.errors.contains(text), "\(outcome.errors)")
        }
        try await says(["-C", "90", "-o", "old", "BASE/rest"], "\"old\" has 3 bytes and not 90 (-C)")
        try await says(["-C", "200", "-o", "old", "BASE/beyond"], "has nothing from byte 200 on")
        try await says(["-C", "90", "-o", "old", "BASE/whole"], "sends the whole", status: 33)
        try await says(["-C", "90", "-o", "old", "BASE/packed"], "another part", status: 33)
        try await says(["-C", "90", "-o", "old", "BASE/cut"], "\"old\" has 7 bytes.", status: 18)
        try await says(["-o", "a", "-o", "b", "-o", "c", "BASE/whole"], "the last 2 of them do nothing")
        try await says(["-J", "BASE/named"], "Without -O it does nothing")
        #expect(sandbox.read("old") == Data(Self.old.utf8))
        try await says(["-C", "5", "-T", "old", "BASE/rest"], "-C is for downloads", status: 2)
        try await says(["-C", "-", "-T", "old", "BASE/rest"], "-C - is for a plain GET", status: 2)
        try await says(["-C", "-", "-o", "old", "BASE/whole"], "or use -C NUMBER if its first", status: 33)
        try await says(["BASE/strange"], "use --no-compressed to get the bytes", status: 61)
        try await says(["-C", "5", "-OJ", "BASE/rest"], "use -o instead of -J", status: 2)
    }

    /// Appended bytes are not appended again by a retry.
    @Test func aPartIsNotTriedAgain() async throws {
        Self.install(landscape)
        let outcome = try await sandbox.httpc(
            "--retry", "2", "-C", "90", "-o", "new", landscape.urlString(.raw, "/cut"))
        #expect(outcome.status == 18, "\(outcome.errors)")
        #expect(sandbox.read("new") == Data("0123".utf8))
        #expect(landscape.count(path: "/cut") == 1)
    }

    private static func contents(of sandbox: Sandbox) -> [String: String] {
        var result: [String: String] = [:]
        for name in sandbox.names where !name.hasSuffix(".out") && !name.hasSuffix(".err") {
            result[name] = sandbox.read(name).map { String(decoding: $0, as: UTF8.self) } ?? "(a directory)"
        }
        return result
    }

    private static func install(_ landscape: Landscape) {
        let whole = String(repeating: "0123456789", count: 10)
        func respond(_ path: String, _ status: String, _ fields: String..., body: String, length: Int? = nil) {
            let head = ["HTTP/1.1 \(status)", "Content-Length: \(length ?? body.utf8.count)"] + fields
            landscape.raw.respond(
                path: path,
                script: WireScript(
                    "\(head.joined(separator: "\r\n"))\r\nConnection: close\r\n\r\n\(body)", thenClose: true))
        }
        let range = "Content-Range: bytes 90-99/100"
        respond("/whole", "200 OK", body: whole)
        respond("/rest", "206 Partial", range, body: "0123456789")
        respond("/packed", "206 Partial", range, "Content-Encoding: br", body: "0123456789")
        respond("/cut", "206 Partial", range, body: "0123", length: 10)
        respond("/unnamed", "206 Partial", body: "0123456789")
        let type = "Content-Type: application/x-gzip"
        for path in ["/coded", "/coded.tgz"] {
            respond(path, "200 OK", type, "Content-Encoding: gzip", body: "packed, says the server")
        }
        respond("/strange", "200 OK", "Content-Encoding: x-bzip2", body: "packed, says the server")
        respond("/beyond", "416 Beyond", "Content-Range: bytes */100", body: "beyond")
        respond("/missing", "404 Missing", body: "a page of an error, which is no part of it")
        respond("/moved", "302 Moved", "Location: /rest", body: "")
        respond("/named", "200 OK", "Content-Disposition: attachment; filename=\"../served.txt\"", body: "named")
    }
}
