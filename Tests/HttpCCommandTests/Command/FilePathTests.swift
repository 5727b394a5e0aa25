import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Paths of the command line lead to the files that the system finds there.
@Suite(.landscape, .timeLimit(.minutes(1))) struct FilePathTests {
    private let landscape: Landscape
    private let sandbox: Sandbox
    /// Longer than a file that is read ahead.
    private let text = String(repeating: "right ", count: 4000)

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func string(_ name: String) -> String? { sandbox.read(name).map { String(decoding: $0, as: UTF8.self) } }

    /// `link/..` is the parent of the link's target.
    private func makeLink() throws {
        try sandbox.write("", to: "real/sub/file")
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("link"), withDestinationPath: "real/sub")
    }

    @Test(
        arguments: [["-T", "PATH"], ["--data-binary", "@PATH"], ["-F", "x=@PATH"]], ["link/../file", "~root/file"])
    func readsTheFileOfThePath(_ options: [String], path: String) async throws {
        try makeLink()
        try sandbox.write("wrong", to: "file")
        try sandbox.write(text, to: path.replacing("link/..", with: "real"))
        let outcome = try await sandbox.httpc(
            options.map { $0.replacing("PATH", with: path) } + [landscape.urlString(.main, "/echo")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect((landscape.requests().last?.bodyLength ?? 0) >= text.utf8.count)
    }

    @Test(arguments: ["link/..", "~root"]) func writesTheFileOfThePath(folder: String) async throws {
        try makeLink()
        let place = folder.replacing("link/..", with: "real")
        // No home directory has files of these names.
        let names = ["body", "heads", "jar", "har", "page"].map { "\($0)-\(UUID().uuidString)" }
        try sandbox.write("old", to: "\(place)/\(names[0])")
        let options = zip(["-o", "-D", "-c", "--har", "--trace"], names).flatMap { [$0, "\(folder)/\($1)"] }
        let outcome = try await sandbox.httpc(options + [landscape.urlString(.main, "/bytes/10")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        for name in names {
            #expect(string("\(place)/\(name)").map { !$0.isEmpty && $0 != "old" } == true, "\(name)")
            #expect(string(name) == nil, "\(name)")
        }
    }

    @Test func resumesTheFileOfThePath() async throws {
        try makeLink()
        let outcome = try await sandbox.httpc(
            "-C", "-", "-o", "link/../body", landscape.urlString(.main, "/bytes/10"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(sandbox.read("real/body")?.count == 10)
        #expect(sandbox.read("body") == nil)
    }

    @Test func aTildeInTheNameOfAURLIsPartOfIt() async throws {
        landscape.raw.respond(path: "/~root", text: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", thenClose: true)
        let outcome = try await sandbox.httpc("-O", landscape.urlString(.raw, "/~root"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(string("~root") == "body")
    }

    /// A form names the file as the command line does.
    @Test func aTildeInTheNameOfAFormsFileIsPartOfIt() async throws {
        try sandbox.write("x", to: "~root")
        let outcome = try await sandbox.httpc("-F", "x=@~root", landscape.urlString(.main, "/echo"))
        #expect(outcome.text.contains(#"filename=\"~root\""#), "\(outcome.text)")
    }

    #if os(Linux)
    /// The path of the working directory fits into no URL, and relative paths work all the same.
    @Test func theWorkingDirectoryNeedNotBeUTF8() async throws {
        try sandbox.write("right", to: "in")
        let script = #"""
            set -e
            folder="$(printf 'd\344')"
            mkdir "$folder"
            cd "$folder"
            cp ../in .
            printf old > body
            "$0" -T in -o body -D heads -c jar "$1"
            cp body heads jar ..
            cd ..
            rm -r "$folder"
            """#
        let outcome = try await RunningCommand(
            ["-c", script, BuiltProduct.httpc, landscape.urlString(.main, "/echo")], in: sandbox, program: "/bin/sh"
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(string("body")?.contains("right") == true)
        #expect(string("heads")?.hasPrefix("HTTP/1.1 200") == true)
        #expect(string("jar")?.isEmpty == false)
    }
    #endif

    // MARK: One file for two options

    @Test(
        arguments: [
            ["-D", "file", "-o", "file"], ["-D", "./file", "-o", "file"], ["-c", "file", "-o", "file"],
            ["--har", "file", "-o", "file"], ["--trace", "file", "-D", "file"], ["-D", "json", "-O"],
            ["--har", "file", "--trace", "./file"], ["-D", "link", "-o", "file"], ["-D", "new", "-o", "./new"],
        ])
    func oneFileForTwoOptionsIsRefused(_ options: [String]) async throws {
        try sandbox.write("old", to: "file")
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("link"), withDestinationPath: "file")
        let outcome = try await sandbox.httpc(options + [landscape.urlString(.main, "/json")])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("name one file"), "\(outcome.errors)")
        #expect(landscape.requests().isEmpty)
        #expect(string("file") == "old")
    }

    @Test(
        arguments: [
            ["-D", "/dev/null", "-o", "/dev/null"], ["-D", "-", "-o", "-"], ["-D", "-", "-c", "-", "-o", "a"],
            ["-D", "a", "-o", "b"], ["-D", "real/a", "-o", "a"], ["-D", "/dev/stdout", "-o", "/dev/stdout"],
        ])
    func otherFilesAreNotRefused(_ options: [String]) async throws {
        try sandbox.write("", to: "real/x")
        let outcome = try await sandbox.httpc(options + [landscape.urlString(.main, "/json")])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    // MARK: 304

    private func answer(_ status: String) {
        landscape.raw.respond(
            path: "/file", text: "HTTP/1.1 \(status)\r\nETag: \"a\"\r\nConnection: close\r\n\r\n", thenClose: true)
    }

    @Test(arguments: [["-o", "file"], ["-O"], ["-OJ", "--clobber"]])
    func aFileThatHasNotChangedStays(_ options: [String]) async throws {
        let arguments = options + ["-D", "heads", "-H", "If-None-Match: \"a\"", landscape.urlString(.raw, "/file")]
        try sandbox.write("old", to: "file")
        answer("304 Not Modified")
        let kept = try await sandbox.httpc(arguments)
        #expect(kept.status == 0 && kept.errors.isEmpty, "\(kept.errors)")
        #expect(string("file") == "old")
        #expect(string("heads")?.hasPrefix("HTTP/1.1 304") == true)
        // Another answer without a body replaces it.
        answer("204 No Content")
        let replaced = try await sandbox.httpc(arguments)
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(string("file") == "")
    }

    @Test(arguments: [["-o", "file"], ["-OJ"]]) func a304MakesNoFile(_ options: [String]) async throws {
        answer("304 Not Modified")
        let outcome = try await sandbox.httpc(options + [landscape.urlString(.raw, "/file")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!sandbox.names.contains("file"))
    }

    // MARK: Heads

    @Test func aTabInAFieldIsWrittenAsItCame() async throws {
        landscape.raw.respond(
            path: "/tab", text: "HTTP/1.1 200 OK\r\nX-Tab: a\tb\u{9B}c\r\nContent-Length: 0\r\n\r\n", thenClose: true)
        let outcome = try await sandbox.httpc("-i", "-D", "heads", landscape.urlString(.raw, "/tab"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        for head in [outcome.text, string("heads") ?? ""] {
            #expect(head.contains("X-Tab: a\tb\\u{9b}c\r\n"), "\(head)")
        }
    }
}
